#include "access/tries.h"
#include "access/visits.h"
#include "access/waiting.h"
#include "base/hash.h"
#include "thread/entered.h"

/* Failed attempts in one state, after which the thread waits. */
#define IN_VAIN 1
/* Attempts while nobody else can go on, after which it hangs. */
#define ALONE_MAX 100
#define STACK_MAX ((size_t)64 << 10) /* a larger stack is not compared */

static uint64_t state_of(const struct thread *self) {
  uintptr_t sp = entered[ENTERED_STACK];
  if (sp < self->fiber.stack_low || self->fiber.stack_high - sp > STACK_MAX)
    return 0;
  uint64_t h = hash_bytes(0, entered, sizeof entered);
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

void tries_end(struct operation *o) {
  struct thread *self = thread_current();
  bool fails = sync_fails(o);
  o->patient = self->turn.tries_enough && !fails;
  if (self->turn.try_state && fails)
    ++*visits_at(&self->turn.tries, self->turn.try_state, o->address);
  if (fails)
    o->lock = OPERATION_LOCK_FAILED;
  else
    self->turn.tries_alone = 0;
  self->turn.tries_enough = false;
}

void tries_forget(void) {
  visits_forget(thread_current()->turn.tries);
}

void tries_go_on(struct thread *t) {
  t->turn.tries_enough = false;
  if (++t->turn.tries_alone > ALONE_MAX)
    waiting_is_hopeless(t);
}
