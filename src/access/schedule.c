#include "access/schedule.h"
#include "access/access.h"
#include "access/spin.h"
#include "access/store_buffer.h"
#include "base/check.h"
#include "door/door.h"
#include "process/heap.h"
#include "process/program.h"
#include "process/stop.h"
#include "process/world.h"

#define OPTIONS_MAX (2 * THREADS_MAX)
#define LOCK_BYTES 40 /* of a mutex or semaphore */

struct schedule schedule;

/* Goes back with the program. */
static struct {
  bool exits;            /* traces: a thread ends the program, and the others are over */
  uint32_t newest;       /* traces: number of the newest operation */
  uint64_t heap_changes; /* traces: seen so far, and */
  int heap_thread;       /* 1 + the thread that made those while there were several; -1: several */
  bool heap_used;        /* an operation on the heap */
  uint32_t preemptions;
  int draining; /* bounded: 1 + the thread whose buffer drains before another thread goes on, or 0 */
} so_far;

/* What can happen next; rebuilt at each point. */
static struct {
  struct operation list[OPTIONS_MAX];
  uint32_t count;
  bool waiting; /* they are steps of threads that only wait for a change */
} options;

/* ---- what can happen next ---- */

static bool can_go(const struct thread *t) {
  return !t->next.drained || store_buffer_empty(t);
}

static void add(const struct thread *t, const struct operation *o) {
  struct operation *new = &options.list[options.count++];
  *new = *o;
  new->machine = (uint16_t)t->machine;
  new->asks = (uint16_t)access_asks(t, o);
}

static void add_step(const struct thread *t) {
  if (can_go(t))
    add(t, &t->next);
}

static struct operation drain_of(const struct thread *t) {
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

/* Threads that only wait for a change are left out as long as anything else can happen. */
static void list_steps(const struct thread *running, const struct thread *ready, bool spinning) {
  if (running && running->spin.waits == spinning)
    add_step(running);
  for (const struct thread *t = ready; t; t = t->ready_next)
    if (t->spin.waits == spinning)
      add_step(t);
}

static void list_options(const struct thread *running, const struct thread *ready) {
  options.count = 0;
  list_steps(running, ready, false);
  for (int i = 0; i < thread_count(); i++) {
    const struct thread *t = thread_by_id(i);
    if (store_buffer_empty(t))
      continue;
    struct operation o = drain_of(t);
    add(t, &o);
  }
  options.waiting = options.count == 0;
  if (options.waiting)
    list_steps(running, ready, true);
}

/* ---- bounded schedules ---- */

static bool steps(const struct operation *o, const struct thread *t) {
  return t && o->thread == t->id && !o->drain;
}

/* Is another buffer than the current thread's draining, and this something else? */
static bool interrupts_drain(const struct operation *o, const struct thread *current) {
  int draining = so_far.draining - 1;
  return draining >= 0 && draining != current->id && !(o->drain && o->thread == draining) &&
         !store_buffer_empty(thread_by_id(draining));
}

/* What it takes from the bound: to leave a thread that could go on, to leave stores behind in its
 * buffer, and to drain what was left behind in parts. */
static uint32_t price(const struct operation *o, const struct thread *running) {
  const struct thread *current = thread_current();
  if (!schedule.bounded || !current)
    return 0;
  uint32_t n = interrupts_drain(o, current);
  if (!o->drain && o->thread != current->id)
    n += (running && can_go(running) && !running->spin.waits) + !store_buffer_empty(current);
  return n;
}

/* When a buffer drains is noticed only by other threads: the running thread's does so right before
 * another goes on or where it must, and not at all as long as none may.  While it waits for a change
 * another has to go on. */
static bool fits(const struct operation *o, const struct thread *running, uint32_t left) {
  const struct thread *current = thread_current();
  if (price(o, running) > left)
    return false;
  if (current && o->thread == current->id && o->drain)
    return left > 0 || !running || !can_go(running) || running->spin.waits;
  return !steps(o, running) || so_far.draining != 1 + running->id || o->drained;
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

/* Nobody can notice when it happens: it may as well happen at once. */
static bool unnoticeable(const struct operation *o) {
  return o->kind == OPERATION_NONE ||
         (o->kind == OPERATION_FENCE && !access_may_persist(thread_by_id(o->thread), o));
}

static uint32_t choose_option(const struct thread *running, bool *asked) {
  for (uint32_t i = 0; i < options.count; i++)
    if (unnoticeable(&options.list[i]) && price(&options.list[i], running) == 0)
      return i;
  if (options.waiting) { /* nothing changes, unless by time; in turns */
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

/* Before there is a second thread nobody is concerned, and it will find everything done. */
void schedule_note(const struct operation *o) {
  if (thread_count() > 1 && !schedule.traces)
    door->note(o);
}

static struct thread *choose_for_trace(struct thread *running, struct thread *ready);

static void list_what_fits(const struct thread *running, const struct thread *ready) {
  list_options(running, ready);
  if (schedule.bounded)
    apply_bound(running);
}

/* NULL: in the meantime the last machine with a thread that could go on has failed.  On the host
 * nobody can be asked: whoever goes on asks again (thread.c). */
static struct thread *choose(struct thread *running, struct thread *ready) {
  if (schedule.traces)
    return choose_for_trace(running, ready);
  if (!fiber_current())
    return ready;
  for (;;) {
    list_what_fits(running, ready);
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
    if (o.drain || o.kind > OPERATION_WRITE)
      spin_changed();
    so_far.preemptions += price(&o, running);
    so_far.draining = o.drain ? 1 + t->id : 0;
    if (!o.drain)
      return t;
    access_drain(t);
    if (running && running->state != THREAD_READY)
      running = NULL;
    ready = thread_ready();
  }
}

/* ---- traces ---- */

static bool can_go_in_trace(const struct thread *t) {
  return !t->spin.waits && can_go(t) && !sync_blocks(&t->next) &&
         t->next.lock != OPERATION_LOCK_EXIT;
}

/* The running thread first, and what it waits for. */
static void list_for_trace(const struct thread *running, const struct thread *ready) {
  options.count = 0;
  if (running && can_go_in_trace(running))
    options.list[options.count++] = running->next;
  else if (running && !store_buffer_empty(running))
    options.list[options.count++] = drain_of(running);
  bool added = options.count && options.list[0].drain;
  for (const struct thread *t = ready; t; t = t->ready_next)
    if (can_go_in_trace(t))
      options.list[options.count++] = t->next;
  for (int i = 0; i < thread_count(); i++)
    if (!store_buffer_empty(thread_by_id(i)) && !(added && thread_by_id(i) == running))
      options.list[options.count++] = drain_of(thread_by_id(i));
}

static struct thread *first_that(struct thread *running, struct thread *ready,
                                 bool (*wanted)(const struct thread *t)) {
  if (running && wanted(running))
    return running;
  while (ready && !wanted(ready))
    ready = ready->ready_next;
  return ready;
}

static bool is_unannounced(const struct thread *t) {
  return !t->turn.announced;
}

static bool wants_exit(const struct thread *t) {
  return t->next.lock == OPERATION_LOCK_EXIT;
}

static bool goes_round(const struct thread *t) {
  return t->spin.waits;
}

static bool is_any(const struct thread *t) {
  (void)t;
  return true;
}

/* Where a thread is kept depends on what others have done: it is named by its number. */
static void name_thread(struct operation *o) {
  for (int i = 0; o->kind == OPERATION_LOCK && i < thread_count(); i++)
    if (o->address == (uintptr_t)thread_by_id(i))
      o->address = (uintptr_t)i + 1;
}

/* What made it possible. */
static void say_after(struct operation *o) {
  const struct thread *t = thread_by_id(o->thread);
  o->after = o->drain ? store_buffer_oldest(t)->issued : t->turn.after;
}

static void happens(const struct operation *o) {
  struct thread *t = thread_by_id(o->thread);
  so_far.newest = door->happens(o);
  if (!o->drain) {
    t->turn.newest = so_far.newest;
    t->turn.after = 0;
  }
}

/* Nothing can happen any more: the program may end; loops that wait go round until it is too long;
 * who waits for a lock finds out that it will not come. */
static struct thread *last_resort(struct thread *running, struct thread *ready) {
  struct thread *t = first_that(running, ready, wants_exit);
  if (t) {
    struct operation o = t->next;
    so_far.exits = true;
    say_after(&o);
    happens(&o);
    return t;
  }
  t = first_that(running, ready, goes_round);
  if (t)
    thread_idle_turn();
  return t ? t : first_that(running, ready, is_any);
}

static bool blocked_trace; /* off the fibers: nothing more is of interest */

/* The listed operation that happens next; its thread, or NULL: a buffer has drained. */
static struct thread *next_in_trace(void) {
  for (uint32_t i = 0; i < options.count; i++) {
    name_thread(&options.list[i]);
    say_after(&options.list[i]);
  }
  uint32_t which = door->pick(options.list, options.count);
  blocked_trace = which == DOOR_NOTHING;
  if (blocked_trace)
    return NULL;
  struct operation o = options.list[which];
  happens(&o);
  struct thread *t = thread_by_id(o.thread);
  if (!o.drain)
    return t;
  access_drain(t);
  return NULL;
}

/* Addresses in the heap depend on the order in which threads allocate, which is no operation. */
static bool heap_is_in_doubt(void) {
  uint64_t changes = heap_changes();
  if (changes != so_far.heap_changes && thread_current()) {
    int who = 1 + thread_current()->id;
    so_far.heap_thread = so_far.heap_thread && so_far.heap_thread != who ? -1 : who;
    so_far.heap_changes = changes;
  }
  return so_far.heap_thread < 0 && so_far.heap_used;
}

static struct thread *give_up(const char *why) {
  if (!schedule.unfit)
    schedule.unfit = why;
  if (fiber_current())
    schedule_refuse_trace(schedule.unfit);
  return NULL;
}

static struct thread *choose_for_trace(struct thread *running, struct thread *ready) {
  if (thread_count() == 1) {
    so_far.heap_changes = heap_changes();
    return first_that(running, ready, is_any);
  }
  if (schedule.unfit || (so_far.exits && !running))
    return give_up("the program waits while it ends");
  if (heap_is_in_doubt())
    return give_up("several threads allocate, and locks or atomic variables are in the heap");
  for (;;) {
    struct thread *t = first_that(running, ready, is_unannounced);
    if (t || so_far.exits)
      return t && !so_far.exits ? t : running;
    list_for_trace(running, ready);
    if (options.count == 0 && thread_jump()) {
      ready = thread_ready();
      continue;
    }
    if (options.count == 0)
      return last_resort(running, ready);
    t = next_in_trace();
    if (t)
      return t;
    if (blocked_trace)
      return NULL;
  }
}

void schedule_drain_rest(void) {
  for (;;) {
    list_for_trace(NULL, NULL);
    if (options.count == 0)
      return;
    next_in_trace();
    if (blocked_trace)
      return;
  }
}

static void arrive(enum operation_kind kind, const void *address, size_t size, bool drained,
                   const struct abi_site *site) {
  struct thread *self = thread_current();
  self->turn.announced = true;
  self->next = (struct operation){.kind = (uint8_t)kind,
                                  .drained = drained,
                                  .thread = (uint16_t)self->id,
                                  .address = (uintptr_t)address,
                                  .size = (uint32_t)size,
                                  .site = site,
                                  .code = site ? 0 : program_caller()};
}

#define TRACE_THINGS 2 /* that an operation may touch (explore/dpor.h) */

static void check_operation(const struct operation *o) {
  if (o->kind == OPERATION_NONE || thread_count() == 1)
    return;
  bool watched = abi_watched(o->address), access = o->kind <= OPERATION_WRITE;
  uintptr_t unit = watched ? (uintptr_t)1 << OPERATION_LINE_SHIFT : 8;
  if (access && (o->address + o->size - 1) / unit - o->address / unit >= TRACE_THINGS)
    schedule_refuse_trace("an instruction that touches many places");
  if (!watched && heap_contains((const void *)o->address))
    so_far.heap_used = true;
}

bool schedule_covers(uintptr_t address, size_t size) {
  const struct operation *o = &thread_current()->next;
  return !schedule_concerns_others() || (o->kind == OPERATION_WRITE && address >= o->address &&
                                         address + size <= o->address + o->size);
}

void schedule_point(enum operation_kind kind, const void *address, size_t size, bool drained,
                    const struct abi_site *site) {
  arrive(kind, address, size, drained, site);
  if (schedule.traces)
    check_operation(&thread_current()->next);
  if (kind > OPERATION_WRITE)
    spin_leave();
  else if (spin_look(&thread_current()->next))
    return;
  thread_step();
  if (drained)
    store_buffer_settled(thread_current());
}

/* It compares the word, and whoever stores to it may come before or after. */
static void at_word(const void *word) {
  arrive(OPERATION_WRITE, word, sizeof(uint32_t), true, NULL);
  spin_leave();
  thread_step();
  store_buffer_settled(thread_current());
}

/* A lock in persistent memory is a word there. */
static void at_lock(const void *object) {
  if (!abi_watched((uintptr_t)object)) {
    schedule_point(OPERATION_LOCK, object, 1, true, NULL);
    return;
  }
  at_word(object);
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

/* Traces: a lock operation that cannot happen yet is none, so that nobody tries in vain. */
static void at(const void *object, const void *also, enum operation_lock how) {
  bool persistent = abi_watched((uintptr_t)object) || abi_watched((uintptr_t)also);
  if (thread_count() == 1 || so_far.exits)
    return;
  bool leaves_locks = object == thread_current() && thread_current()->mutexes;
  if (!object || leaves_locks || (persistent && also))
    schedule_refuse_trace("an operation on several locks");
  if (persistent) { /* a word in there, and what it depends on */
    schedule_point(OPERATION_WRITE, object, LOCK_BYTES, true, NULL);
    return;
  }
  arrive(OPERATION_LOCK, object, 1, true, NULL);
  check_operation(&thread_current()->next);
  thread_current()->next.lock = (uint8_t)how;
  thread_current()->next.also = (uintptr_t)also;
  spin_leave();
  thread_step();
  store_buffer_settled(thread_current());
}

void schedule_exit(void) {
  if (!schedule.traces) {
    schedule_point(OPERATION_LOCK, NULL, 1, true, NULL);
    return;
  }
  if (thread_count() == 1 || so_far.exits)
    return;
  arrive(OPERATION_LOCK, NULL, 1, true, NULL);
  thread_current()->next.lock = OPERATION_LOCK_EXIT;
  spin_leave();
  thread_step();
}

bool schedule_concerns_others(void) {
  return thread_count() > 1 && !so_far.exits;
}

static void woken(struct thread *t) {
  t->turn.after = so_far.newest;
}

void schedule_refuse_trace(const char *why) {
  if (!schedule.unfit)
    schedule.unfit = why;
  stop_with(STOP_KNOWN, NULL, "%s", why);
}

void schedule_set_traces(bool on) {
  schedule.traces = on;
  thread_strategy.at = on ? at : NULL;
  thread_strategy.woken = on ? woken : NULL;
}

void schedule_init(const struct strategy *s) {
  schedule.explores = s->kind != STRATEGY_FIXED;
  schedule.bounded = s->kind == STRATEGY_BOUNDED;
  schedule.preemptions_max = s->parameter;
  if (schedule.explores)
    thread_strategy = (struct thread_strategy){.choose = choose,
                                               .at_lock = at_lock,
                                               .at_futex = at_word,
                                               .released = released,
                                               .at_yield = spin_yield};
  world_include(&so_far, sizeof so_far);
}
