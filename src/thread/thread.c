#include "base/check.h"
#include "base/mem.h"
#include "process/caller.h"
#include "process/host.h"
#include "process/virtual_clock.h"
#include "process/world.h"
#include "thread/entered.h"
#include "thread/sync_internal.h"
#include "thread/thread_internal.h"
#include <limits.h>
#include <string.h>

/* So many steps are a unit of a turn (thread_round_turn). */
#define TURN_UNIT 16

/* With a wait for time pending, this many turns of threads that only yield or use up their quantum
 * mean that they wait for that time to pass. */
#define TURNS_UNTIL_TIME_JUMPS 64

/* Waiting for time to pass takes no time here, so a program that only does that would never end.
 * An execution that waits for more than a day, or so often, does nothing else. */
#define TIME_MAX ((unsigned long)24 * 3600 * 1000000000u)
#define TIME_MAX_PAUSES 1000 /* fewer are long, but may have an end */
#define PAUSES_MAX 500000

struct scheduler sched;
struct thread_strategy thread_strategy;
struct thread_memory thread_memory;
bool (*thread_on_idle)(void);
uint64_t entered[ENTERED_REGISTERS];
const struct abi_site *entered_site;
bool entered_wanted;

struct thread *thread_current(void) {
  return sched.current;
}

struct thread *thread_by_id(int id) {
  return id >= 0 && id < sched.count ? sched.table[id] : NULL;
}

int thread_live(void) {
  return sched.live;
}

int thread_count(void) {
  return sched.count;
}

/* The first threads are those of main, one for each machine. */
int thread_tid(const struct thread *t) {
  return VIRTUAL_PROCESS + t->id;
}

int thread_pid(void) {
  return VIRTUAL_PROCESS + thread_current()->machine;
}

bool thread_machine_ended(int machine) {
  for (int i = 0; i < sched.count; i++)
    if (sched.table[i]->machine == machine && sched.table[i]->state != THREAD_DONE)
      return false;
  return true;
}

/* --- the ready list and the list of deadlines --- */

void thread_ready_append(struct thread *t) {
  t->ready_next = NULL;
  t->ready_previous = sched.ready_last;
  if (sched.ready_last)
    sched.ready_last->ready_next = t;
  else
    sched.ready_first = t;
  sched.ready_last = t;
}

void thread_ready_remove(struct thread *t) {
  if (t->ready_previous)
    t->ready_previous->ready_next = t->ready_next;
  else
    sched.ready_first = t->ready_next;
  if (t->ready_next)
    t->ready_next->ready_previous = t->ready_previous;
  else
    sched.ready_last = t->ready_previous;
  t->ready_next = t->ready_previous = NULL;
}

static void timed_append(struct thread *t) {
  if (!sched.timed_first || t->deadline < sched.due)
    sched.due = t->deadline;
  if (!sched.timed_first)
    sched.turns = 0;
  t->timed_next = NULL;
  t->timed_previous = sched.timed_last;
  if (sched.timed_last)
    sched.timed_last->timed_next = t;
  else
    sched.timed_first = t;
  sched.timed_last = t;
}

static void timed_remove(struct thread *t) {
  if (t->timed_previous)
    t->timed_previous->timed_next = t->timed_next;
  else
    sched.timed_first = t->timed_next;
  if (t->timed_next)
    t->timed_next->timed_previous = t->timed_previous;
  else
    sched.timed_last = t->timed_previous;
  t->timed_next = t->timed_previous = NULL;
}

static void queue_append(struct thread_queue *q, struct thread *t) {
  t->queue = q;
  t->queue_next = NULL;
  t->queue_previous = q->last;
  if (q->last)
    q->last->queue_next = t;
  else
    q->first = t;
  q->last = t;
}

static void queue_remove(struct thread *t) {
  struct thread_queue *q = t->queue;
  if (t->queue_previous)
    t->queue_previous->queue_next = t->queue_next;
  else
    q->first = t->queue_next;
  if (t->queue_next)
    t->queue_next->queue_previous = t->queue_previous;
  else
    q->last = t->queue_previous;
  t->queue = NULL;
  t->queue_next = t->queue_previous = NULL;
}

void thread_stop_waiting(struct thread *t) {
  if (t->queue)
    queue_remove(t);
  if (t->deadline)
    timed_remove(t);
  t->deadline = 0;
  t->waits_for = NULL;
  t->waits_what = NULL;
}

void thread_wake(struct thread *t) {
  if (t->state != THREAD_WAITING)
    return;
  if (!t->timed_out)
    thread_memory.order(EVENT_RELEASE, t, 0);
  thread_stop_waiting(t);
  t->state = THREAD_READY;
  thread_ready_append(t);
  if (thread_strategy.woken)
    thread_strategy.woken(t);
}

/* --- time --- */

unsigned long thread_virtual_time(void) {
  return clock_look();
}

static struct thread *earliest_timed(void) {
  struct thread *found = NULL;
  for (struct thread *t = sched.timed_first; t; t = t->timed_next)
    if (!found || t->deadline < found->deadline)
      found = t;
  return found;
}

/* A deadline on the clock of all threads. */
static unsigned long common_deadline(unsigned long deadline) {
  if (!deadline || !thread_strategy.times_out)
    return deadline;
  unsigned long ahead = thread_strategy.ahead();
  return deadline > ahead ? deadline - ahead : 1;
}

/* Wake everybody whose deadline has passed, earliest first. */
static void wake_due(void) {
  unsigned long now = clock_look_common();
  if (sched.due > now)
    return;
  for (struct thread *t; (t = earliest_timed()) != NULL;) {
    sched.due = t->deadline;
    if (t->deadline > now)
      return;
    sched.turns = 0;
    t->timed_out = true;
    thread_wake(t);
  }
}

/* Where it is a choice whose time is over (times_out), it is not a matter of the clock. */
static void expire_due(void) {
  if (sched.timed_first && !thread_strategy.times_out)
    wake_due();
}

static void jump_to_deadline(void) {
  struct thread *t = earliest_timed();
  unsigned long now = clock_look_common();
  if (t->deadline > now)
    clock_advance(t->deadline - now);
  sched.due = t->deadline;
  wake_due();
}

struct thread *thread_ready(void) {
  return sched.ready_first;
}

struct thread *thread_first_that(struct thread *running, struct thread *ready,
                                 bool (*wanted)(const struct thread *t)) {
  if (running && wanted(running))
    return running;
  while (ready && !wanted(ready))
    ready = ready->ready_next;
  return ready;
}

bool thread_is_unannounced(const struct thread *t) {
  return !t->turn.announced;
}

bool thread_jump(void) {
  if (!sched.timed_first)
    return false;
  jump_to_deadline();
  return true;
}

/* pre: on a fiber, which has waited for time to pass, or (`object`) in vain for an object. */
static void check_time(bool object) {
  sched.vain_waits += object;
  if (++sched.pauses > PAUSES_MAX)
    stop_with(STOP_HANG, NULL, "no end after %d pauses (sleep, timed waits)", PAUSES_MAX);
  if (thread_strategy.vain_waits_max && sched.vain_waits > thread_strategy.vain_waits_max)
    stop_with(STOP_HANG, NULL, "no end after %u timed waits in vain",
              thread_strategy.vain_waits_max);
  if (clock_time() > TIME_MAX && sched.pauses >= TIME_MAX_PAUSES)
    stop_with(STOP_HANG, NULL, "no end after a day of the program's time (sleep, timed waits)");
}

/* --- who runs next --- */

/* The one decision of a schedule; NULL if nobody can run.  `running` may go on too. */
static struct thread *choose_next(struct thread *running) {
  struct thread *first = sched.ready_first;
  if (thread_strategy.choose && (running || first)) {
    sched.unchosen = !fiber_current() && !thread_strategy.chooses_on_host;
    struct thread *t = thread_strategy.choose(running, first);
    CHECK(t ? t->state == THREAD_READY : !fiber_current() || !sched.ready_first,
          "the strategy chose a thread that cannot run");
    return t;
  }
  return running ? running : first;
}

/* Takes t off the ready list and makes it the current thread. */
static void make_current(struct thread *t) {
  struct thread *from = sched.current;
  thread_ready_remove(t);
  sched.current = t;
  sched.turns_of[t->machine]++;
  sched.quantum = thread_strategy.choose ? 1 : THREAD_QUANTUM;
  sched.looks = 0;
  if (from && from->machine != t->machine)
    sched.leaves_machine = 1 + from->machine;
}

/* Straight to the other fiber, unless it runs on another machine: then the host puts that machine's
 * libc in place first (thread_run). */
static void switch_to(struct thread *t) {
  struct thread *self = sched.current;
  make_current(t);
  mem_may_go_back();
  if (t != self)
    fiber_switch(sched.leaves_machine && thread_strategy.machine_switch ? NULL : &t->fiber);
}

/* Somebody who can run, when the current thread cannot; NULL: nobody ever will. */
static struct thread *find_next(void) {
  expire_due();
  bool idle = !sched.ready_first && sched.live;
  if (idle && !(thread_on_idle && fiber_current() && thread_on_idle()) && sched.timed_first)
    jump_to_deadline();
  return choose_next(NULL);
}

/* To the next one, which may be nobody. */
static void leave_to(struct thread *next) {
  if (!next && sched.live == 0)
    stop_finished(0);
  if (!next)
    sync_report_deadlock();
  switch_to(next);
}

/* Whose turn is it?  Returns when it is the current thread's.  It was only the host that let it go
 * on after the end of another machine's program, if that has to be asked again. */
static void choose_and_switch(void) {
  struct thread *self = sched.current;
  do {
    struct thread *next = choose_next(self);
    sched.quantum = 1;
    if (next == self)
      return;
    if (self->state == THREAD_READY) { /* its machine may have failed in the meantime */
      thread_ready_append(self);
      switch_to(next);
    } else {
      leave_to(next);
    }
  } while (sched.unchosen);
}

void thread_leave(void) {
  leave_to(find_next());
  if (sched.unchosen)
    choose_and_switch();
}

void thread_idle_turn(void) {
  if (sched.timed_first && !thread_strategy.times_out && ++sched.turns >= TURNS_UNTIL_TIME_JUMPS)
    jump_to_deadline();
  else
    expire_due();
}

void thread_yield(void) {
  if (!fiber_current())
    return;
  thread_idle_turn();
  if (thread_strategy.at_yield) {
    thread_strategy.at_yield();
    return;
  }
  thread_ready_append(sched.current);
  switch_to(choose_next(NULL));
}

void thread_step(void) {
  if (--sched.quantum > 0 || !fiber_current())
    return;
  if (!thread_strategy.choose) {
    if (thread_alone())
      thread_settle();
    else
      thread_yield();
    return;
  }
  expire_due();
  choose_and_switch();
}

void thread_round_turn(void) {
  if (sched.quantum > TURN_UNIT)
    sched.quantum -= sched.quantum % TURN_UNIT;
}

uint64_t thread_turn_so_far(void) {
  return (uint64_t)sched.quantum << 32 | (uint32_t)sched.looks;
}

void thread_at_lock(const void *object, enum operation_lock how) {
  if (thread_strategy.at_lock)
    thread_strategy.at_lock(object, how);
  else
    thread_step();
}

enum thread_way thread_at_wait(const void *condition, const void *mutex, bool timed) {
  if (thread_strategy.at_wait)
    return thread_strategy.at_wait(condition, mutex, timed);
  if (!thread_at(condition, mutex, OPERATION_LOCK_RELEASE))
    thread_at_lock(NULL, OPERATION_LOCK_RELEASE);
  return THREAD_WOKEN;
}

uint32_t thread_at_signal(const void *condition, const struct thread_queue *waiters) {
  if (thread_strategy.at_signal)
    return thread_strategy.at_signal(condition, waiters);
  if (!thread_at(condition, NULL, OPERATION_LOCK_OTHER))
    thread_at_lock(NULL, OPERATION_LOCK_OTHER);
  return 0;
}

bool thread_at(const void *object, const void *also, enum operation_lock how) {
  if (thread_strategy.at)
    thread_strategy.at(object, also, how);
  return thread_strategy.at != NULL;
}

enum thread_way thread_at_futex(const void *word, bool waits, const unsigned *expected) {
  if (thread_strategy.at_futex)
    return thread_strategy.at_futex(word, waits, expected);
  thread_step();
  return THREAD_WOKEN;
}

void thread_pass_deadline(unsigned long deadline) {
  unsigned long now = clock_look();
  if (deadline > now)
    clock_pass(deadline - now);
}

bool thread_is_late(unsigned long deadline) {
  return thread_strategy.times_out && deadline &&
         deadline <= clock_time() + thread_strategy.ahead();
}

bool thread_times_out(unsigned long deadline) {
  if (thread_is_late(deadline))
    return true;
  if (!deadline || !thread_strategy.times_out || !thread_strategy.times_out())
    return false;
  thread_pass_deadline(deadline);
  return true;
}

void thread_step_load(const void *address) {
  if (address != sched.looked_at)
    sched.looks = 0;
  sched.looked_at = address;
  if (++sched.looks >= THREAD_SPINS)
    sched.quantum = 1;
  thread_step();
}

void thread_no_look(void) {
  sched.looks = 0;
  sched.looked_at = NULL;
}

void thread_step_ask(void) {
  thread_step_load(sched.looked_at);
}

bool thread_time_can_pass(void) {
  return sched.timed_first != NULL;
}

bool thread_alone(void) {
  return !sched.ready_first && !sched.timed_first;
}

void thread_settle(void) {
  if (!thread_alone())
    return;
  sched.quantum = thread_strategy.choose ? 1 : THREAD_QUANTUM;
  sched.looks = 0;
  sched.looked_at = NULL;
}

/* Explored schedules in which deadlines do not pass at any time (docs/semantics.md). */
static void note_deadline(void) {
  if (thread_strategy.choose && !thread_strategy.times_out && sched.ready_first && stop_remark)
    stop_remark(
        "a wait with a deadline ran into it only when no other thread could go on: what happens if "
        "the time is over sooner was not explored");
}

bool thread_wait_in(struct thread_queue *q, const void *object, const char *what,
                    unsigned long deadline) {
  struct thread *self = sched.current;
  if (q && deadline)
    note_deadline();
  thread_memory.drain_all();
  self->state = THREAD_WAITING;
  self->turn.announced = false;
  self->waits_for = object;
  self->waits_what = what;
  self->deadline = common_deadline(deadline);
  self->timed_out = false;
  if (q)
    queue_append(q, self);
  if (self->deadline)
    timed_append(self);
  thread_leave();
  if (self->timed_out)
    check_time(q != NULL);
  else
    thread_memory.order(EVENT_ACQUIRE, self, 0);
  return !self->timed_out;
}

bool thread_wait(const void *object, const char *what, unsigned long deadline) {
  return thread_wait_in(NULL, object, what, deadline);
}

void thread_sleep(unsigned long ns) {
  unsigned long until;
  if (!fiber_current())
    return;
  if (__builtin_add_overflow(clock_look(), ns, &until))
    until = ULONG_MAX;
  if (thread_strategy.at_yield) {
    clock_pass(ns);
    check_time(false);
  }
  if (ns == 0 || thread_strategy.at_yield)
    thread_yield();
  else
    thread_wait(NULL, "the end of its sleep", until);
}

/* A sleeping thread lets the others run first: clock_pause has advanced the clock for it, which is
 * taken back here and happens again when everybody else waits. */
static void sleep_on_clock(uint64_t ns) {
  clock_advance(-ns);
  thread_sleep(ns);
}

unsigned long thread_turns_of(int machine) {
  return sched.turns_of[machine];
}

int thread_idle_turns(void) {
  return sched.timed_first ? sched.turns : 0;
}

/* --- the host's side --- */

void thread_init(void) {
  world_include(&sched, sizeof sched);
  clock_on_pause = sleep_on_clock;
  sync_init();
}

void thread_abandon(struct thread *t) {
  t->state = THREAD_WAITING;
  t->waits_for = NULL;
  t->waits_what = "nothing: it has failed";
  t->deadline = 0;
}

void thread_run(struct stop *why) {
  struct thread *t = sched.current;
  why->kind = STOP_NONE;
  if (!sched.paused && (!t || t->state != THREAD_READY)) {
    t = find_next();
    if (!t) {
      memset(why, 0, sizeof *why);
      why->kind = sched.live ? STOP_DEADLOCK : STOP_FINISHED;
      if (sched.live)
        sync_describe_deadlock(why->message, sizeof why->message);
      return;
    }
    make_current(t);
  }
  sched.paused = false;
  do {
    if (sched.leaves_machine && thread_strategy.machine_switch)
      thread_strategy.machine_switch(sched.leaves_machine - 1, sched.current->machine);
    sched.leaves_machine = 0;
  } while (host_run(&sched.current->fiber, why) == STOP_NONE && sched.leaves_machine);
}

void thread_pause(void) {
  mem_may_go_back();
  sched.paused = true;
  fiber_switch(NULL);
}
