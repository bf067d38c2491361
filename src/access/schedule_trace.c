/* Scheduling points of executions that follow traces (search/traces.h): the search chooses every operation, and is told
 * of each when it happens. */
#include "access/access_internal.h"
#include "access/schedule_internal.h"
#include "access/space.h"
#include "access/spin.h"
#include "access/store_buffer.h"
#include "access/vain.h"
#include "door/door.h"
#include "event/window.h"
#include "process/heap.h"
#include "process/stop.h"
#include "process/world.h"
#include "thread/entered.h"
#include <string.h>

#define LOCK_BYTES 40  /* of a mutex or semaphore */
#define TRACE_THINGS 2 /* that an operation may touch (explore/dpor.h) */

/* Goes back with the program. */
static struct {
  bool exits;                            /* a thread ends the program, and the others are over */
  uint32_t newest;                       /* number of the newest operation */
  uint64_t heap_changes[HEAP_MOVED_MAX]; /* by heap: how many allocations were seen so far, and */
  int heap_thread[HEAP_MOVED_MAX]; /* 1 + the thread that made them while there were several */
  bool heap_shared;                /* several threads have used one heap */
  bool heap_used;                  /* an operation on the heap */
} so_far;

#define STREAK_MAX 500 /* after so many steps of a thread in a row the others come first */

/* Only before a failure: there the program always runs from its beginning. */
static struct {
  int thread;
  uint32_t length;
} streak;

/* What can happen next; rebuilt at each point. */
static struct {
  struct operation list[SCHEDULE_OPTIONS_MAX];
  uint32_t count;
} options;

/* ---- what happens next ---- */

static bool can_go_in_trace(const struct thread *t) {
  return !t->spin.waits && !t->turn.waits && schedule_can_go(t) && !sync_blocks(&t->next) &&
         t->next.lock != OPERATION_LOCK_EXIT;
}

/* Does a load of these bytes have one answer, whatever the search learns about lines later? */
static bool is_settled(uintptr_t address, size_t size) {
  if (!window_has(address) || !access_run.options.failures)
    return true;
  const struct space_line *l = space_line_if_any(address);
  return l && address / LINE_BYTES == (address + size - 1) / LINE_BYTES &&
         space_is_own(l, address, (int)size);
}

/* The thread's next operation.  A compare-and-swap that would not store is a load for the others: no thread can tell
 * whether it came before or after it. */
static struct operation step_of(const struct thread *t) {
  struct operation o = t->next;
  const void *now = window_has(o.address) ? space_alias(o.address) : (const void *)o.address;
  if (t->compares && is_settled(o.address, o.size) && memcmp(now, t->expected, o.size) != 0)
    o.kind = OPERATION_READ;
  return o;
}

/* Fairness: has the thread gone on for so long that it may wait for others in a loop that stores something? */
static bool is_tired(const struct thread *t) {
  return streak.thread == t->id && streak.length > STREAK_MAX && !access_run.options.failures;
}

/* The search prefers the first option: the running thread, or if it cannot go on what its buffer has to drain. */
static void list_for_trace(const struct thread *running, const struct thread *ready) {
  bool goes_on = running && can_go_in_trace(running), tired = goes_on && is_tired(running);
  options.count = 0;
  if (goes_on && !tired)
    options.list[options.count++] = step_of(running);
  else if (running && !goes_on && !store_buffer_empty(running))
    options.list[options.count++] = schedule_drain_of(running);
  bool added = options.count && options.list[0].drain;
  for (const struct thread *t = ready; t; t = t->ready_next)
    if (can_go_in_trace(t))
      options.list[options.count++] = step_of(t);
  if (tired)
    options.list[options.count++] = step_of(running);
  for (int i = 0; i < thread_count(); i++)
    if (!store_buffer_empty(thread_by_id(i)) && !(added && thread_by_id(i) == running))
      options.list[options.count++] = schedule_drain_of(thread_by_id(i));
}

static bool wants_exit(const struct thread *t) {
  return t->next.lock == OPERATION_LOCK_EXIT;
}

static bool goes_round(const struct thread *t) {
  return t->spin.waits || t->turn.waits;
}

static bool is_late(const struct thread *t) {
  return t->turn.late;
}

static bool is_any(const struct thread *t) {
  (void)t;
  return true;
}

/* Operations on threads are named by the thread's number: its address depends on what others have allocated. */
static void name_thread(struct operation *o) {
  for (int i = 0; o->kind == OPERATION_LOCK && i < thread_count(); i++)
    if (o->address == (uintptr_t)thread_by_id(i))
      o->address = (uintptr_t)i + 1;
}

/* Fill in which operation made this one possible (operation.after). */
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
    streak.length = streak.thread == t->id ? streak.length + 1 : 1;
    streak.thread = t->id;
  }
}

/* Nothing can happen any more: the program may end, a waiting loop goes round until it is a hang, or a thread that
 * waits for a lock finds out that there is a deadlock. */
static struct thread *last_resort(struct thread *running, struct thread *ready) {
  struct thread *t = thread_first_that(running, ready, wants_exit);
  if (t) {
    struct operation o = t->next;
    so_far.exits = true;
    say_after(&o);
    happens(&o);
    return t;
  }
  t = thread_first_that(running, ready, goes_round);
  if (t)
    thread_idle_turn();
  return t ? t : thread_first_that(running, ready, is_any);
}

/* A thread that waits for a lock could have had it before the thread that does not release it: the search has to plan
 * that. */
void schedule_tell_who_waits(void) {
  for (int i = 0; i < thread_count() && door->waits; i++) {
    const struct thread *t = thread_by_id(i);
    struct operation o = t->next;
    bool blocks = t->state == THREAD_READY && sync_blocks(&o);
    name_thread(&o);
    say_after(&o);
    if (blocks)
      door->waits(&o);
  }
}

static bool blocked_trace; /* the search has given the execution up while no fiber was running */

/* The operation happens.  Returns its thread, or NULL: a buffer has drained. */
static struct thread *carry_out(struct operation *o) {
  struct thread *t = thread_by_id(o->thread);
  sync_settle(o);
  happens(o);
  if (!o->drain)
    return t;
  access_drain(t);
  return NULL;
}

/* While the search repeats an execution it says what is next, and the options need not be listed.  False: that
 * operation cannot happen. */
static bool repeat_step(struct thread **goes_on) {
  uint32_t thread;
  bool drain;
  if (!door->repeats || !door->repeats(&thread, &drain) || thread >= (uint32_t)thread_count())
    return false;
  const struct thread *t = thread_by_id((int)thread);
  if (drain ? store_buffer_empty(t) : t->state != THREAD_READY || !can_go_in_trace(t))
    return false;
  struct operation o = drain ? schedule_drain_of(t) : step_of(t);
  name_thread(&o);
  say_after(&o);
  *goes_on = carry_out(&o);
  return true;
}

/* As deep as our functions go, mostly. */
#define OWN_FRAMES 2048

static __attribute__((noinline)) void wipe(void) {
  char below[OWN_FRAMES];
  memset(below, 0, sizeof below);
  __asm__ volatile("" ::"r"(below) : "memory");
}

void schedule_wipe_stack(void) {
  if (schedule.compares && fiber_current())
    wipe();
}

/* The listed operation that happens next; its thread, or NULL: a buffer has drained. */
static struct thread *next_in_trace(void) {
  for (uint32_t i = 0; i < options.count; i++) {
    name_thread(&options.list[i]);
    say_after(&options.list[i]);
  }
  schedule_wipe_stack();
  uint32_t which = door->pick(options.list, options.count);
  blocked_trace = which == DOOR_NOTHING;
  if (blocked_trace)
    return NULL;
  struct operation o = options.list[which];
  return carry_out(&o);
}

/* Each thread has a heap of its own, as far as there are enough.  If several use one, addresses depend on the order in
 * which they allocate, which is no operation: then the execution cannot follow a trace. */
static bool heap_is_in_doubt(void) {
  const struct thread *t = thread_current();
  uint64_t changes = heap_changes();
  int heap = t ? t->id % HEAP_MOVED_MAX : 0;
  if (t && changes != so_far.heap_changes[heap]) {
    so_far.heap_shared |= so_far.heap_thread[heap] && so_far.heap_thread[heap] != 1 + t->id;
    so_far.heap_thread[heap] = 1 + t->id;
    so_far.heap_changes[heap] = changes;
  }
  return so_far.heap_shared && so_far.heap_used;
}

static struct thread *give_up(const char *why) {
  if (!schedule.unfit)
    schedule.unfit = why;
  if (fiber_current())
    schedule_refuse_trace(schedule.unfit);
  return NULL;
}

struct thread *schedule_choose_in_trace(struct thread *running, struct thread *ready) {
  if (thread_count() == 1) {
    so_far.heap_changes[0] = heap_changes();
    streak.length = 0;
    return thread_first_that(running, ready, is_any);
  }
  if (schedule.unfit || (so_far.exits && !running))
    return give_up("the program waits while it ends");
  if (heap_is_in_doubt())
    return give_up("many threads allocate, and locks or atomic variables are in the heap");
  for (;;) {
    struct thread *t = thread_first_that(running, ready, thread_is_unannounced);
    if (t || so_far.exits)
      return t && !so_far.exits ? t : running;
    if (repeat_step(&t)) {
      if (t)
        return t;
      continue;
    }
    list_for_trace(running, ready);
    bool late = options.count == 0 && thread_first_that(running, ready, is_late);
    if (options.count == 0 && !late && thread_jump()) {
      ready = thread_ready();
      continue;
    }
    if (options.count == 0) {
      schedule_tell_who_waits();
      if (late) {
        door->pick(options.list, 0);
        return NULL;
      }
      return last_resort(running, ready);
    }
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

/* ---- operations ---- */

void schedule_check_operation(const struct operation *o) {
  if (o->kind == OPERATION_NONE || thread_count() == 1)
    return;
  bool watched = window_has(o->address), access = o->kind <= OPERATION_WRITE;
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

/* A lock operation is announced, and is an option only when it can happen, so that no attempt fails. */
static void at(const void *object, const void *also, enum operation_lock how) {
  bool persistent = window_has((uintptr_t)object) || window_has((uintptr_t)also);
  if (thread_count() == 1 || so_far.exits)
    return;
  bool leaves_locks = object == thread_current() && thread_current()->mutexes;
  if (!object || leaves_locks || (persistent && also))
    schedule_refuse_trace("an operation on several locks");
  if (persistent) { /* a word in there, and what it depends on */
    schedule_point(OPERATION_WRITE, object, LOCK_BYTES, true, NULL);
    return;
  }
  schedule_arrive(OPERATION_LOCK, object, 1, true, NULL);
  schedule_check_operation(&thread_current()->next);
  thread_current()->next.lock = (uint8_t)how;
  thread_current()->next.also = (uintptr_t)also;
  spin_leave();
  thread_step();
  store_buffer_settled(thread_current());
  schedule_wipe_stack();
}

void schedule_exit_trace(void) {
  if (thread_count() == 1 || so_far.exits)
    return;
  schedule_arrive(OPERATION_LOCK, NULL, 1, true, NULL);
  thread_current()->next.lock = OPERATION_LOCK_EXIT;
  spin_leave();
  thread_step();
}

bool schedule_concerns_others(void) {
  return thread_count() > 1 && !so_far.exits;
}

uint32_t schedule_operation(bool drains) {
  if (thread_count() == 1)
    return 0;
  return drains ? so_far.newest : thread_current()->turn.newest;
}

void schedule_add_gaps(world_gap_list *gaps) {
  world_add_gap(gaps, &so_far.newest, sizeof so_far.newest);
  for (int i = 0; i < thread_count(); i++) {
    struct thread *t = thread_by_id(i);
    world_add_gap(gaps, &t->turn.newest, sizeof t->turn.newest);
    world_add_gap(gaps, &t->turn.after, sizeof t->turn.after);
  }
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
  schedule.traces = entered_wanted = on;
  thread_strategy.chooses_on_host = on;
  thread_strategy.at = on ? at : NULL;
  thread_strategy.woken = on ? woken : NULL;
}

void schedule_include_trace(void) {
  world_include(&so_far, sizeof so_far);
  world_include(&vain_begun, sizeof vain_begun);
}
