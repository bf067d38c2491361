#include "access/turn.h"
#include "access/births.h"
#include "access/frames.h"
#include "access/lifetime.h"
#include "access/ordinary.h"
#include "access/stacks.h"
#include "access/times.h"
#include "access/tries.h"
#include "access/unroll.h"
#include "access/unseen.h"
#include "access/visits.h"
#include "access/waiting.h"
#include "base/check.h"
#include "door/door.h"
#include "process/heap.h"
#include "process/program.h"
#include "process/world.h"

#define HEAPS 32
#define OPTIONS_MAX (2 * THREADS_MAX)
#define CHOICE_WAYS 8  /* alternatives of one operation, at most */
#define STREAK_MAX 500 /* after so many operations of a thread in a row the others come first */

static struct {
  struct operation list[OPTIONS_MAX];
  uint32_t count;
} options; /* rebuilt at each choice */

/* The newest operations in a row are of one thread; goes back with the program. */
static struct {
  int thread;
  uint32_t length;
  bool unfair; /* it was tired, somebody else could go on, and it did nevertheless */
} streak;

static bool unasked; /* since the newest operation: nobody has said who goes on */

/* Symmetry reduction: threads with the same function and argument are interchangeable until they begin, so they begin
 * in the order of their creation. */
static bool is_its_turn_to_begin(const struct thread *t) {
  for (int i = 0; ordinary.symmetry && !t->turn.begun && t->start && i < t->id; i++) {
    const struct thread *other = thread_by_id(i);
    if (other->start == t->start && other->start_argument == t->start_argument &&
        !other->turn.begun && other->state == THREAD_READY)
      return false;
  }
  return true;
}

/* Is the thread's announced operation an option of the schedule? */
static bool can_go(const struct thread *t) {
  const struct operation *o = &t->next;
  return is_its_turn_to_begin(t) && !t->turn.waits && !t->turn.cut && !t->turn.left_out &&
         (!o->drained || ordinary_buffer_empty(t)) && !sync_blocks(o) && !tries_wait(t) &&
         o->lock != OPERATION_LOCK_EXIT && !tries_gives_way(t) &&
         (!t->turn.futile || door->demands(o));
}

static bool is_cut(const struct thread *t) {
  return t->turn.cut;
}

static bool is_left_out(const struct thread *t) {
  return t->turn.left_out;
}

static bool is_late(const struct thread *t) {
  return t->turn.late;
}

/* By number, so that the result does not depend on the order in which threads came to wait. */
static struct thread *first_that_waits(void) {
  for (int i = 0; i < thread_count(); i++)
    if (thread_by_id(i)->state == THREAD_READY && thread_by_id(i)->turn.waits)
      return thread_by_id(i);
  return NULL;
}

static bool is_blocked(const struct thread *t) {
  return t->next.lock != OPERATION_LOCK_EXIT;
}

static bool wants_exit(const struct thread *t) {
  return t->next.lock == OPERATION_LOCK_EXIT;
}

static void add_drain(const struct thread *t) {
  if (!ordinary_buffer_empty(t) && is_its_turn_to_begin(t))
    options.list[options.count++] = ordinary_next_drain(t);
}

/* Fairness: has the thread gone on for so long that it may do so for ever? */
static bool is_tired(const struct thread *t) {
  return streak.thread == t->id && streak.length > STREAK_MAX;
}

bool turn_is_unfair(void) {
  bool late = false; /* somebody could go on, and does in another execution */
  for (int i = 0; i < thread_count(); i++)
    late |= thread_by_id(i)->state == THREAD_READY && is_late(thread_by_id(i));
  return streak.unfair || (late && streak.length > STREAK_MAX);
}

/* The search prefers the first option: the running thread, or if it cannot go on what its buffer has to drain. */
static void list_options(const struct thread *running, const struct thread *ready) {
  bool goes_on = running && can_go(running);
  options.count = 0;
  if (goes_on && !is_tired(running))
    options.list[options.count++] = running->next;
  else if (running && !goes_on)
    add_drain(running);
  for (const struct thread *t = ready; t; t = t->ready_next)
    if (can_go(t))
      options.list[options.count++] = t->next;
  for (int i = 0; ordinary.tso && i < thread_count(); i++)
    if (!running || thread_by_id(i) != running || goes_on)
      add_drain(thread_by_id(i));
  if (goes_on && is_tired(running))
    options.list[options.count++] = running->next;
}

/* No operation can happen, and no time can pass.  Whoever goes on ends the execution: a failed assumption, the end of
 * the program, a loop that was cut off, a hang, or a deadlock, which a blocked thread finds out when it goes on. */
static struct thread *go_on_anyhow(struct thread *running, struct thread *ready) {
  struct thread *t = thread_first_that(running, ready, is_left_out);
  if (t)
    return t;
  t = thread_first_that(running, ready, wants_exit);
  if (t)
    return t;
  /* It might have ended the wait of the others, so that is no hang. */
  t = thread_first_that(running, ready, is_cut);
  if (t)
    return t;
  t = tries_choose(running, ready);
  if (t)
    return t;
  t = first_that_waits();
  if (t) {
    waiting_is_hopeless(t);
    return t;
  }
  return thread_first_that(running, ready, is_blocked);
}

void turn_tell_futile(void) {
  for (int i = 0; i < thread_count(); i++) {
    const struct thread *t = thread_by_id(i);
    if (t->state != THREAD_READY || !t->turn.futile || t->turn.waits)
      continue;
    struct operation o = t->next;
    o.kind = OPERATION_READ; /* a locked instruction would store nothing */
    o.after = t->turn.after;
    ordinary_see(t, o.address, o.size, o.before);
    ordinary_find_answer(t, &o);
    door->waits(&o);
  }
}

/* Nobody can go on.  A thread that waits for a lock could have had it before the thread that does not release it: the
 * search has to plan that. */
void turn_tell_who_waits(void) {
  for (int i = 0; i < thread_count(); i++) {
    const struct thread *t = thread_by_id(i);
    struct operation o = t->next;
    o.after = t->turn.after;
    if (t->state == THREAD_READY && sync_blocks(&o))
      door->waits(&o);
  }
  turn_tell_futile();
}

static struct thread *choose(struct thread *running, struct thread *ready) {
  unasked = false;
  for (;;) {
    struct thread *t = thread_first_that(running, ready, thread_is_unannounced);
    if (!t) {
      list_options(running, ready);
      if (options.count == 0) {
        bool late = thread_first_that(running, ready, is_late);
        if (!late && thread_jump()) {
          waiting_for_time();
          waiting_time_passes();
          ready = thread_ready();
          continue;
        }
        if (!late) {
          turn_tell_futile();
          if (waiting_finds_out())
            continue;
        }
        turn_tell_who_waits();
        if (late) {
          door->pick(options.list, 0);
          return NULL;
        }
        t = go_on_anyhow(running, ready);
        if (t && tries_wait(t)) { /* what was planned cannot happen, or this was tried before */
          tries_go_on(t);
          options.list[options.count++] = t->next;
          t = NULL;
        }
      }
    }
    if (!t) {
      uint32_t which = door->pick(options.list, options.count);
      if (which == DOOR_NOTHING)
        return NULL;
      struct operation o = options.list[which];
      t = thread_by_id(o.thread);
      streak.unfair |= is_tired(t) && options.list[0].thread != t->id;
      if (o.drain) {
        ordinary_drain(t);
        continue;
      }
    }
    ordinary_show(t);
    /* A heap for each thread: addresses do not depend on what others allocate. */
    heap_select(t->id % HEAPS);
    return t;
  }
}

void turn_take(const struct operation *o) {
  struct thread *self = thread_current();
  self->next = *o;
  if (!o->site)
    self->next.code = program_caller();
  self->turn.announced = true;
  waiting_check(self);
  self->turn.cut = !self->turn.waits && unroll_ends(self);
  if (unasked && door->pauses())
    thread_pause();
  unasked = false;
  if (!can_go(self) || is_tired(self) || !door->goes_on(&self->next))
    thread_step();
  if (self->turn.cut)
    stop_with(STOP_ASSUME, o->site, "a loop is longer than --unroll allows");
  waiting_end(self);
}

/* The others go on first: what they do could have come before the assumption, and might have made it true.  That is
 * another execution, which the search finds only if it sees what they do. */
_Noreturn void turn_leave_out(void) {
  struct thread *self = thread_current();
  if (ordinary_concerns()) {
    waiting_leave();
    self->next = (struct operation){.kind = OPERATION_NONE, .thread = (uint16_t)self->id};
    self->turn.announced = self->turn.left_out = true;
    thread_step();
  }
  stop_with(STOP_ASSUME, NULL, "assumption");
}

/* Ordinary.sharing's number of lines at the newest step, for access_turn; goes back with the program. */
static uint32_t lines_touched;

void turn_note(struct operation *o) {
  struct thread *self = thread_current();
  if (!o->site)
    o->code = self->next.code;
  self->turn.begun = true;
  o->after = self->turn.after;
  o->learns = self->turn.learns;
  self->turn.after = 0;
  self->turn.learns = false;
  streak.length = streak.thread == self->id ? streak.length + 1 : 1;
  streak.unfair &= streak.thread == self->id;
  streak.thread = self->id;
  tries_happened(o);
  unasked = true;
  access_turn(o->site, ordinary.sharing.touched != lines_touched);
  lines_touched = ordinary.sharing.touched;
  self->turn.stored = !operation_is_barrier(o) && (self->turn.stored || o->kind == OPERATION_WRITE);
  door->note(o);
  self->turn.newest = (uint32_t)door->where();
  if (stacks_on)
    stacks_note_event(self->turn.newest - 1);
  if (o->blind)
    times_tell(o->address, self->turn.time);
  else if (o->kind == OPERATION_READ && !operation_answered(o))
    times_learn(o->address);
  else if (o->kind == OPERATION_WRITE || o->kind == OPERATION_LOCK)
    times_meet(o->address);
  if (o->also)
    times_meet(o->also);
  if (o->kind == OPERATION_WRITE || o->kind == OPERATION_FREE)
    waiting_changed(o);
}

void turn_note_drain(const struct operation *o) {
  thread_by_id(o->thread)->turn.begun = true;
  tries_happened(o);
  door->note(o);
  waiting_changed(o);
}

/* The ways of a signal: which waiter it wakes, a bit each if there are several; only the first eight are tried. */
static uint8_t one_of(const struct thread_queue *waiters) {
  unsigned ways = 0;
  for (const struct thread *t = waiters->first; t && ways < UINT8_MAX; t = t->queue_next)
    ways = ways << 1 | 1;
  return ways > 1 ? (uint8_t)ways : 0;
}

/* May the operation be part of a round of a waiting loop (waiting_passes)? */
static bool passes(const struct operation *o, const struct thread_queue *waiters) {
  switch (o->lock) {
  case OPERATION_LOCK_RELEASE: /* a mutex, unless a thread ends or waits for a condition */
    return o->address != (uintptr_t)thread_current() && !o->also;
  case OPERATION_LOCK_ACQUIRE:
  case OPERATION_LOCK_ENTER:
  case OPERATION_LOCK_AGAIN:
  case OPERATION_LOCK_LEAVE:
    return !waiters;
  default:
    return false;
  }
}

/* Whether threads meet in a round of which only some look at who was the last is learnt as if it were memory that they
 * share, by a key that no lock has.  If they do, all are taken to look: what happens before what would otherwise depend
 * on the order of those who do not. */
static const struct operation some_look = {.kind = OPERATION_LOCK, .address = 2};

static bool all_look(void) {
  return sharing_expects(&ordinary.sharing, &some_look);
}

static void settle_arrival(struct operation *o) {
  if (!sync_barrier_settle(o) && !all_look() && sharing_expect(&ordinary.sharing, &some_look))
    ordinary.broken = true;
}

/* An operation on a lock.  It can end in these ways, or wake one of those who are in the queue by then; returns
 * which. */
static uint8_t at_lock_of(const void *object, const void *also, enum operation_lock how,
                          uint8_t ways, const struct thread_queue *waiters) {
  if (!ordinary_concerns())
    return 0;
  struct operation o = {
      .kind = OPERATION_LOCK,
      .lock = (uint8_t)how,
      .ways = ways,
      .joins = how == OPERATION_LOCK_JOIN ? 1 + (uint32_t)((const struct thread *)object)->id : 0,
      .drained = true,
      .thread = (uint16_t)thread_current()->id,
      .size = 1,
      .address = (uintptr_t)object,
      .block = lifetime_block((uintptr_t)object),
      .also = (uintptr_t)also};
  if (how == OPERATION_LOCK_SERIAL || (how == OPERATION_LOCK_ARRIVE && all_look()))
    o.lock = OPERATION_LOCK_ARRIVE, o.serial = true;
  o.passes = passes(&o, waiters);
  if (o.passes)
    waiting_passes();
  else
    waiting_leave();
  if (tries_is(&o))
    tries_announce(&o);
  else if (o.passes)
    tries_pass(&o);
  else
    tries_forget(); /* a semaphore has another value, somebody is woken, ... */
  turn_take(&o);
  sync_settle(&o);
  if (o.lock == OPERATION_LOCK_ARRIVE && !ordinary.each_order)
    settle_arrival(&o);
  if (o.passes)
    waiting_passed(&o);
  else
    waiting_finds_taken(&o);
  if (tries_is(&o))
    tries_end(&o);
  if (waiters)
    o.ways = one_of(waiters);
  if (o.ways)
    o.way = (uint8_t)door->way(&o);
  if (!sync_blocks(&o)) /* otherwise nobody can go on, and it never happens */
    turn_note(&o);
  if (frames_are_gone(&o))
    frames_stop(&o);
  lifetime_used(&o, false);
  return o.way;
}

static void at(const void *object, const void *also, enum operation_lock how) {
  at_lock_of(object, also, how, 0, NULL);
}

/* How often a deadline of the thread has passed early at this place. */
static uint32_t *timeouts_here(void) {
  return visits_at(&thread_current()->turn.timeouts, program_caller(), program_stack());
}

/* In reality a deadline can pass at any time.  As loops that wait again would have no end, only the first time-outs of
 * a thread at each place (--timeouts) come early; later ones come when nobody else can go on. */
static bool may_time_out(void) {
  waiting_for_time();
  bool may = ordinary_concerns() && *timeouts_here() < ordinary.timeouts;
  ordinary.timeouts_limited |= ordinary_concerns() && !may;
  return may;
}

static bool times_out(void) {
  bool may = may_time_out();
  *timeouts_here() += may;
  return may;
}

static uint64_t ahead(void) {
  return thread_current()->turn.time;
}

static enum thread_way at_wait(const void *condition, const void *mutex, bool timed) {
  struct thread *self = thread_current();
  bool wakes = self->turn.unasked < ordinary.unasked, late = timed && may_time_out();
  uint8_t ways = 1u << THREAD_WOKEN | wakes << THREAD_WAKES_ITSELF | late << THREAD_TIMES_OUT;
  enum thread_way way =
      at_lock_of(condition, mutex, OPERATION_LOCK_RELEASE, wakes || late ? ways : 0, NULL);
  self->turn.unasked += way == THREAD_WAKES_ITSELF;
  if (way == THREAD_TIMES_OUT)
    ++*timeouts_here();
  return way;
}

static uint32_t at_signal(const void *condition, const struct thread_queue *waiters) {
  return at_lock_of(condition, NULL, OPERATION_LOCK_OTHER, 0, waiters);
}

static void at_lock(const void *object, enum operation_lock how) {
  at(object, NULL, how);
}

/* A futex wait compares the word, so it is a load: stores to the word may come before or after it.  A wake-up is told an
 * address and looks at nothing there.  What contains the word may be gone by then: whoever released a latch or a
 * semaphore wakes others up after one of them may have gone on.  Waits and wake-ups depend on each other, so both stand
 * for stores that change nothing. */
static enum thread_way at_word(const void *word, bool waits, const unsigned *expected) {
  if (!ordinary_concerns())
    return THREAD_WOKEN;
  waiting_leave();
  tries_forget();
  struct operation o = {.kind = OPERATION_WRITE,
                        .order = 1 + ABI_SEQ_CST,
                        .locked = true,
                        .drained = true,
                        .change = OPERATION_CHANGE_NEVER,
                        .thread = (uint16_t)thread_current()->id,
                        .size = sizeof(uint32_t),
                        .address = (uintptr_t)word,
                        .block = waits ? lifetime_block((uintptr_t)word) : 0};
  if (sharing_touch(&ordinary.sharing, &o) == SHARING_BROKEN)
    ordinary.broken = true;
  turn_take(&o);
  if (expected && *(const unsigned *)word == *expected && may_time_out()) {
    o.ways = 1u << THREAD_WOKEN | 1u << THREAD_TIMES_OUT;
    o.way = (uint8_t)door->way(&o);
  }
  turn_note(&o);
  if (waits)
    lifetime_used(&o, false);
  if (o.way == THREAD_TIMES_OUT)
    ++*timeouts_here();
  return (enum thread_way)o.way;
}

/* tidemark_choose with many alternatives is made of operations with eight ways each: this is one digit of the
 * number. */
static uint32_t choose_digit(uint32_t count, uint32_t base, bool more) {
  if (count == 1)
    return 0;
  waiting_leave();
  struct operation o = {.kind = OPERATION_NONE,
                        .ways = (uint8_t)((1u << count) - 1),
                        .thread = (uint16_t)thread_current()->id,
                        .operand = {base, more}};
  turn_take(&o);
  o.way = (uint8_t)door->way(&o);
  turn_note(&o);
  return o.way;
}

static uint32_t choose_digits(uint32_t count, bool more) {
  uint32_t head = count > CHOICE_WAYS ? choose_digits((count - 1) / CHOICE_WAYS + 1, true) : 0;
  uint32_t base = head * CHOICE_WAYS, left = count - base;
  return base + choose_digit(left < CHOICE_WAYS ? left : CHOICE_WAYS, base, more);
}

uint32_t turn_choose(uint32_t count) {
  return choose_digits(count, false);
}

/* sched_yield: going on and letting others go first are both explored, the second one first. */
static void at_yield(void) {
  if (ordinary_concerns())
    streak.length = STREAK_MAX + 1;
  streak.thread = thread_current()->id;
}

static void woken(struct thread *t) {
  times_woken(t);
  t->turn.after = door ? (uint32_t)door->where() : 0;
}

void turn_exit(void) {
  if (!ordinary_concerns())
    return;
  struct operation o = {.kind = OPERATION_LOCK,
                        .lock = OPERATION_LOCK_EXIT,
                        .drained = true,
                        .thread = (uint16_t)thread_current()->id,
                        .size = 1};
  turn_take(&o);
}

void turn_init(void) {
  heap_set_machines(HEAPS);
  heap_share();
  lifetime_init();
  times_init();
  unseen_init();
  world_include(&streak, sizeof streak);
  world_include(&lines_touched, sizeof lines_touched);
  thread_strategy.choose = choose;
  thread_strategy.at = at;
  thread_strategy.at_wait = at_wait;
  thread_strategy.at_signal = at_signal;
  thread_strategy.at_lock = at_lock;
  thread_strategy.at_futex = at_word;
  thread_strategy.times_out = times_out;
  thread_strategy.ahead = ahead;
  thread_strategy.at_yield = at_yield;
  thread_strategy.woken = woken;
  births_init();
  tries_init();
  thread_strategy.strict = true;
  thread_strategy.caller = program_caller;
}
