#include "access/access.h"
#include "access/schedule_internal.h"
#include "access/spin.h"
#include "access/store_buffer.h"
#include "access/vain.h"
#include "base/check.h"
#include "door/door.h"
#include "event/window.h"
#include "process/heap.h"
#include "process/program.h"
#include "process/world.h"
#include "thread/entered.h"
#include <string.h>

struct schedule schedule;

/* Goes back with the program. */
static struct {
  uint32_t preemptions;
  /* bounded: 1 + the thread whose buffer drains before another thread goes on, or 0. */
  int draining;
  int last;          /* 1 + the thread that made the last step, or 0 */
  uint32_t in_a_row; /* its steps where another one could have gone on, */
  uint32_t idle;     /* and since it has changed anything */
} so_far;

/* So many of these: perhaps a loop that waits, and another thread has to end it.  A machine that asks whether others live
 * is believed to do so for ever after some more (cxl). */
#define IDLE_MAX 5000
#define IN_A_ROW_MAX (access_machines() > 1 ? 15000u : 100000u)

/* What can happen next; rebuilt at each point. */
static struct {
  struct operation list[SCHEDULE_OPTIONS_MAX];
  uint32_t count;
  bool waiting; /* they are steps of threads that only wait for a change */
  bool others;  /* there are some of another thread than the last one */
} options;

/* ---- what can happen next ---- */

bool schedule_can_go(const struct thread *t) {
  return !t->next.drained || store_buffer_empty(t);
}

static void add(const struct thread *t, const struct operation *o) {
  struct operation *new = &options.list[options.count++];
  *new = *o;
  new->machine = (uint16_t)t->machine;
  new->asks = (uint16_t)access_asks(t, o);
}

static void add_step(const struct thread *t) {
  if (schedule_can_go(t))
    add(t, &t->next);
}

struct operation schedule_drain_of(const struct thread *t) {
  const struct buffered *b = store_buffer_oldest(t);
  static const uint8_t kinds[] = {OPERATION_WRITE, OPERATION_FLUSH, OPERATION_FENCE};
  return (struct operation){.kind = kinds[b->kind],
                            .drain = true,
                            .thread = (uint16_t)t->id,
                            .address = b->piece.address,
                            .size = (uint32_t)b->piece.size,
                            .site = b->piece.site,
                            .code = b->code};
}

static bool is_tired(const struct thread *t) {
  return t && so_far.last == 1 + t->id &&
         (so_far.idle >= IDLE_MAX || so_far.in_a_row >= IN_A_ROW_MAX);
}

/* Threads that only wait for a change are left out as long as anything else can happen, and so is one that has gone on
 * for very long: to go on for ever while others could is no schedule. */
static void list_steps(const struct thread *running, const struct thread *ready, bool last) {
  if (running && (running->spin.waits || is_tired(running)) == last)
    add_step(running);
  for (const struct thread *t = ready; t; t = t->ready_next)
    if ((t->spin.waits || is_tired(t)) == last)
      add_step(t);
}

static void list_options(const struct thread *running, const struct thread *ready) {
  options.count = 0;
  list_steps(running, ready, false);
  for (int i = 0; i < thread_count(); i++) {
    const struct thread *t = thread_by_id(i);
    if (store_buffer_empty(t))
      continue;
    struct operation o = schedule_drain_of(t);
    add(t, &o);
  }
  options.waiting = options.count == 0;
  if (options.waiting)
    list_steps(running, ready, true);
  options.others = false;
  for (uint32_t i = 0; i < options.count; i++)
    options.others |= 1 + options.list[i].thread != so_far.last;
}

/* ---- bounded schedules ---- */

static bool steps(const struct operation *o, const struct thread *t) {
  return t && o->thread == t->id && !o->drain;
}

/* Does the operation come while another thread's buffer is draining as a whole? */
static bool interrupts_drain(const struct operation *o, const struct thread *current) {
  int draining = so_far.draining - 1;
  return draining >= 0 && draining != current->id && !(o->drain && o->thread == draining) &&
         !store_buffer_empty(thread_by_id(draining));
}

/* How many preemptions the operation costs (docs/semantics.md): to leave a thread that could go on, to leave stores
 * behind in its buffer, and to drain what was left behind in parts. */
static uint32_t price(const struct operation *o, const struct thread *running) {
  const struct thread *current = thread_current();
  if (!schedule.bounded || !current)
    return 0;
  uint32_t n = interrupts_drain(o, current);
  if (!o->drain && o->thread != current->id)
    n += (running && schedule_can_go(running) && !running->spin.waits && !is_tired(running)) +
         (!store_buffer_empty(current) && !is_tired(running));
  return n;
}

/* Does the bound allow the operation?  Only other threads notice when a buffer drains, so the running thread's drains
 * right before another thread goes on or where it must, and not at all as long as the bound lets none.  While the
 * running thread waits for a change another one has to go on. */
static bool fits(const struct operation *o, const struct thread *running, uint32_t left) {
  const struct thread *current = thread_current();
  if (price(o, running) > left)
    return false;
  if (current && o->thread == current->id && o->drain)
    return left > 0 || !running || !schedule_can_go(running) || running->spin.waits;
  return !steps(o, running) ||
         (!is_tired(running) && (so_far.draining != 1 + running->id || o->drained));
}

static void apply_bound(const struct thread *running) {
  uint32_t left = schedule.preemptions_max - so_far.preemptions, kept = 0;
  struct operation own = {0};
  bool can_step = false;
  for (uint32_t i = 0; i < options.count; i++) {
    if (steps(&options.list[i], running)) {
      own = options.list[i];
      can_step = true;
    }
    if (fits(&options.list[i], running, left))
      options.list[kept++] = options.list[i];
  }
  if (kept == 0 && can_step)
    options.list[kept++] = own;
  options.count = kept;
}

/* An attempt that finds the lock taken, or one that only looks: it changes nothing that somebody could wait for. */
static bool fails(const struct operation *o) {
  if (o->lock == OPERATION_LOCK_LOOK)
    return true;
  return (o->lock == OPERATION_LOCK_TRY || o->lock == OPERATION_LOCK_TRY_READ) && sync_fails(o);
}

static void count_step(const struct operation *o) {
  if (o->drain) {
    so_far.idle = so_far.last == 1 + o->thread ? 0 : so_far.idle;
    return;
  }
  bool again = so_far.last == 1 + o->thread, changes = o->kind == OPERATION_LOCK && !fails(o);
  so_far.in_a_row = again ? so_far.in_a_row + options.others : 0;
  so_far.idle = again && !changes ? so_far.idle + options.others : 0;
  so_far.last = 1 + o->thread;
}

/* Can no other thread notice when it happens?  Then it happens at once. */
static bool unnoticeable(const struct operation *o) {
  return o->kind == OPERATION_NONE ||
         (o->kind == OPERATION_FENCE && !access_may_persist(thread_by_id(o->thread), o));
}

static uint32_t choose_option(const struct thread *running, bool *asked) {
  for (uint32_t i = 0; i < options.count; i++)
    if (unnoticeable(&options.list[i]) && price(&options.list[i], running) == 0)
      return i;
  if (options.waiting) { /* only time can change something: threads go on in turns */
    thread_idle_turn();
    return options.count - 1;
  }
  if (options.count == 1)
    return 0;
  for (uint32_t i = 0; i < options.count; i++)
    if (access_may_persist(thread_by_id(options.list[i].thread), &options.list[i])) {
      access_may_fail(&options.list[i]);
      break;
    }
  *asked = true;
  return door->pick(options.list, options.count);
}

/* What happens before there is a second thread comes before everything that the second one does. */
void schedule_note(const struct operation *o) {
  if (thread_count() > 1 && !schedule.traces)
    door->note(o);
}

static void list_what_fits(const struct thread *running, const struct thread *ready) {
  list_options(running, ready);
  if (schedule.bounded)
    apply_bound(running);
}

/* NULL: in the meantime the last machine with a thread that could go on has failed.  On the host
 * nobody can be asked: whoever goes on asks again (thread.c). */
static struct thread *choose(struct thread *running, struct thread *ready) {
  if (schedule.traces) {
    struct thread *t = schedule_choose_in_trace(running, ready);
    schedule_wipe_stack(); /* a thread that stays in our functions does so from here on */
    return t;
  }
  if (!fiber_current())
    return ready;
  if (!running)
    spin_blocks();
  for (;;) {
    list_what_fits(running, ready);
    if (options.count == 0 && !ready && thread_jump()) { /* only those who wait for time are left */
      ready = thread_ready();
      continue;
    }
    if (options.count == 0)
      return NULL;
    bool asked = false;
    uint32_t chosen = choose_option(running, &asked);
    if (asked) /* and the search may have come back here after others were listed */
      list_what_fits(running, ready);
    CHECK(chosen < options.count, "option %u of %u", chosen, options.count);
    struct operation o = options.list[chosen];
    struct thread *t = thread_by_id(o.thread);
    if (!o.drain) /* a store is noted when it reaches the cache */
      schedule_note(&o);
    if (o.drain || (o.kind > OPERATION_WRITE && !fails(&o)))
      spin_changed();
    so_far.preemptions += price(&o, running);
    so_far.draining = o.drain ? 1 + t->id : 0;
    count_step(&o);
    if (!o.drain)
      return t;
    access_drain(t);
    if (running && running->state != THREAD_READY)
      running = NULL;
    ready = thread_ready();
  }
}

/* With a heap for each thread addresses do not depend on what others allocate. */
static struct thread *choose_with_heap(struct thread *running, struct thread *ready) {
  struct thread *t = choose(running, ready);
  if (t)
    heap_select(t->id % HEAP_MOVED_MAX);
  return t;
}

void schedule_arrive(enum operation_kind kind, const void *address, size_t size, bool drained,
                     const struct abi_site *site) {
  struct thread *self = thread_current();
  self->turn.announced = true;
  self->compares = false;
  self->next = (struct operation){.kind = (uint8_t)kind,
                                  .drained = drained,
                                  .thread = (uint16_t)self->id,
                                  .address = (uintptr_t)address,
                                  .size = (uint32_t)size,
                                  .site = site,
                                  .code = site ? 0 : program_caller()};
}

/* Note where the thread stands, for standing.h: the hook of a flush has saved the program's registers just now. */
static void note_stand(struct thread *self) {
  self->stand[ENTERED_STACK] = 0;
  if (self->next.kind == OPERATION_FLUSH && self->next.site && self->next.site == entered_site)
    memcpy(self->stand, entered, sizeof self->stand);
  if (self->stand[ENTERED_STACK] < self->fiber.stack_low ||
      self->stand[ENTERED_STACK] > self->fiber.stack_high)
    self->stand[ENTERED_STACK] = 0;
}

/* looks: the operation is a load, or a locked instruction that may store nothing. */
static void take_turn(bool looks) {
  struct thread *self = thread_current();
  if (schedule.traces)
    schedule_check_operation(&self->next);
  looks &= schedule.traces && schedule_concerns_others();
  if (looks)
    vain_check(self);
  else if (schedule.traces)
    vain_leave();
  if (schedule.traces)
    note_stand(self);
  bool at_once = false;
  if (self->next.kind > OPERATION_WRITE)
    spin_leave();
  else
    at_once = self->turn.waits ? spin_in_vain() : spin_look(&self->next);
  if (!at_once)
    thread_step();
  if (looks)
    vain_looks(self);
  if (!at_once && self->next.drained)
    store_buffer_settled(self);
  schedule_wipe_stack();
}

void schedule_point(enum operation_kind kind, const void *address, size_t size, bool drained,
                    const struct abi_site *site) {
  schedule_arrive(kind, address, size, drained, site);
  take_turn(kind == OPERATION_READ);
}

void schedule_point_locked(const void *address, size_t size, const void *expected,
                           const void *operand, const struct abi_site *site) {
  struct thread *self = thread_current();
  schedule_arrive(OPERATION_WRITE, address, size, true, site);
  self->next.locked = true;
  memset(self->operand, 0, sizeof self->operand);
  if (operand)
    memcpy(self->operand, operand, size);
  if (expected)
    memcpy(self->expected, expected, size);
  self->compares = expected;
  take_turn(true);
}

void schedule_leave_round(uintptr_t address) {
  if (!fiber_current())
    return;
  const struct fiber *own = &thread_current()->fiber;
  if (address < own->stack_low || address >= own->stack_high)
    vain_leave();
}

/* A futex wait compares the word: stores to it may come before or after. */
static void at_word(const void *word) {
  schedule_arrive(OPERATION_WRITE, word, sizeof(uint32_t), true, NULL);
  spin_leave();
  thread_step();
  store_buffer_settled(thread_current());
}

static enum thread_way at_futex(const void *word, bool waits, const unsigned *expected) {
  (void)waits, (void)expected; /* deadlines pass when nobody else can go on */
  at_word(word);
  return THREAD_WOKEN;
}

/* A lock in watched memory is a word there.  To try one that is taken is a look, as a locked instruction that changes
 * nothing is. */
static void at_lock(const void *object, enum operation_lock how) {
  struct thread *self = thread_current();
  bool watched = window_has((uintptr_t)object);
  schedule_arrive(watched ? OPERATION_WRITE : OPERATION_LOCK, object,
                  watched ? sizeof(uint32_t) : 1, true, NULL);
  if (how == OPERATION_LOCK_TRY || how == OPERATION_LOCK_TRY_READ || how == OPERATION_LOCK_LOOK)
    self->next.lock = (uint8_t)how;
  bool at_once = false;
  if (fails(&self->next))
    at_once = spin_look(&self->next);
  else
    spin_leave();
  if (at_once)
    return;
  thread_step();
  store_buffer_settled(self);
  if (watched && !fails(&self->next))
    spin_changed();
}

/* The owner may have locked it before there were other threads, and let go of it by an operation
 * that does not name it. */
static void released(const struct thread *owner, const void *mutex) {
  if (fiber_current())
    schedule_note(&(struct operation){.kind = OPERATION_LOCK,
                                      .thread = (uint16_t)owner->id,
                                      .address = (uintptr_t)mutex,
                                      .size = 1});
}

void schedule_exit(void) {
  if (schedule.traces)
    schedule_exit_trace();
  else
    schedule_point(OPERATION_LOCK, NULL, 1, true, NULL);
}

void schedule_init(const struct strategy *s, bool heaps) {
  schedule.explores = s->kind != STRATEGY_FIXED;
  schedule.bounded = s->kind == STRATEGY_BOUNDED;
  schedule.preemptions_max = s->parameter;
  if (schedule.explores)
    thread_strategy = (struct thread_strategy){.choose = heaps ? choose_with_heap : choose,
                                               .at_lock = at_lock,
                                               .at_futex = at_futex,
                                               .released = released,
                                               .at_yield = spin_yield};
  schedule.heaps = heaps;
  if (heaps) {
    heap_set_machines(HEAP_MOVED_MAX);
    heap_keep_apart();
  }
  world_include(&so_far, sizeof so_far);
  schedule_include_trace();
}
