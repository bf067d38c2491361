#include "access/tries.h"
#include "access/ordinary.h"
#include "access/visits.h"
#include "access/waiting.h"
#include "base/hash.h"
#include "process/world.h"
#include "thread/entered.h"

/* Failed attempts in one state, after which the thread waits. */
#define IN_VAIN 1
/* Attempts while nobody else can go on, after which it hangs. */
#define ALONE_MAX 100
#define PASSED (sizeof((struct thread_turn *)0)->passed / sizeof(uintptr_t))
#define STACK_MAX ((size_t)64 << 10) /* a larger stack is not compared */

/* Some thread has stepped back; goes back with the program. */
static bool any_steps_back;

static uint64_t state_of(const struct thread *self) {
  uintptr_t sp = entered[ENTERED_STACK];
  if (sp < self->fiber.stack_low || self->fiber.stack_high - sp > STACK_MAX)
    return 0;
  uint64_t h = hash_bytes(self->turn.holds, entered, sizeof entered);
  return hash_bytes(h, (const void *)sp, self->fiber.stack_high - sp) | 1;
}

void tries_announce(const struct operation *o) {
  struct thread *self = thread_current();
  self->turn.try_state = state_of(self);
  self->turn.tries_enough =
      self->turn.try_state &&
      *visits_at(&self->turn.tries, self->turn.try_state, o->address) >= IN_VAIN;
}

bool tries_wait(const struct thread *t) {
  return tries_is(&t->next) && t->turn.tries_enough && sync_fails(&t->next);
}

/* What it holds and has given away, as one number: the sum of what it has taken, minus what it has released. */
static void hold(struct thread *self, const struct operation *o, uint64_t times) {
  self->turn.holds += times * hash_u64(0, o->address);
}

void tries_pass(const struct operation *o) {
  struct thread *self = thread_current();
  bool takes = o->lock == OPERATION_LOCK_ACQUIRE || o->lock == OPERATION_LOCK_ENTER;
  hold(self, o, takes ? 1 : o->lock == OPERATION_LOCK_AGAIN ? 0 : (uint64_t)-1);
  for (size_t i = 0; i < PASSED; i++)
    if (self->turn.passed[i] == o->address)
      return;
  self->turn.passed[self->turn.passed_next++ % PASSED] = o->address;
}

static bool has_passed(const struct thread *t, uintptr_t lock) {
  for (size_t i = 0; i < PASSED; i++)
    if (t->turn.passed[i] == lock)
      return true;
  return false;
}

/* Does another thread wait that would fail once more and go round, and has it to do with the lock that this one tries
 * for?  Then this one could have seen that. */
static bool could_have_seen(const struct thread *self, const struct operation *o) {
  for (int i = 0; i < thread_count(); i++) {
    const struct thread *t = thread_by_id(i);
    if (t != self && tries_wait(t) && has_passed(t, o->address))
      return true;
  }
  return false;
}

void tries_end(struct operation *o) {
  struct thread *self = thread_current();
  bool fails = sync_fails(o);
  o->patient = self->turn.tries_enough && !fails;
  uint32_t *before =
      self->turn.try_state ? visits_at(&self->turn.tries, self->turn.try_state, o->address) : NULL;
  if (!before || !*before)
    ordinary.tries_limited |= could_have_seen(self, o);
  if (before && fails)
    ++*before;
  if (fails)
    o->lock = OPERATION_LOCK_FAILED;
  else {
    self->turn.tries_alone = 0;
    hold(self, o, 1);
  }
  self->turn.tries_enough = false;
}

void tries_forget(void) {
  visits_forget(thread_current()->turn.tries);
}

static bool is_fresh(const struct thread *t) {
  return tries_wait(t) && !t->turn.steps_back;
}

struct thread *tries_choose(struct thread *running, struct thread *ready) {
  struct thread *t = thread_first_that(running, ready, is_fresh);
  return t ? t : thread_first_that(running, ready, tries_wait);
}

void tries_go_on(struct thread *t) {
  t->turn.tries_enough = false;
  t->turn.steps_back = any_steps_back = true;
  if (++t->turn.tries_alone > ALONE_MAX)
    waiting_is_hopeless(t);
}

static bool acquires(const struct operation *o) {
  return o->kind == OPERATION_LOCK &&
         (o->lock == OPERATION_LOCK_ACQUIRE || o->lock == OPERATION_LOCK_ENTER ||
          o->lock == OPERATION_LOCK_AGAIN);
}

/* Who tries for a lock that is free has it then: that is no round in vain. */
bool tries_gives_way(const struct thread *t) {
  if (!t->turn.steps_back || !acquires(&t->next))
    return false;
  for (const struct thread *other = thread_ready(); other; other = other->ready_next) {
    const struct operation *o = &other->next;
    bool wants = tries_is(o) || (acquires(o) && !other->turn.steps_back);
    if (other != t && other->turn.announced && wants && o->address == t->next.address &&
        !sync_blocks(o) && !sync_fails(o))
      return true;
  }
  return false;
}

void tries_happened(const struct operation *o) {
  if (!any_steps_back || o->passes || o->kind == OPERATION_READ || o->lock == OPERATION_LOCK_FAILED)
    return;
  for (int i = 0; i < thread_count(); i++)
    thread_by_id(i)->turn.steps_back = false;
  any_steps_back = false;
}

void tries_init(void) {
  world_include(&any_steps_back, sizeof any_steps_back);
}
