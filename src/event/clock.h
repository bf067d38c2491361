/* Happens-before as vector clocks: each step of an execution (event/trace.h) gets its time.
 *
 *      thread 0:  x=1 [1,0]   unlock m [2,0]
 *      thread 1:                              lock m [2,1]   y=1 [2,2]
 *
 * Component t of a time is how many steps of thread t have happened before it, its own included.  Order comes from the
 * program order of a thread, from loads of what another thread has stored (reads-from), from locks and atomic variables
 * (RELEASE, ACQUIRE), from creating and joining threads.  What waits in a store buffer (stores, flushes, fences) has
 * the time of its issue, not of its leaving it.  Failures separate: steps of different levels are not ordered here.
 *
 * Fed step by step by analysis/; goes back to a mark.  Host memory. */
#ifndef EVENT_CLOCK_H
#define EVENT_CLOCK_H

#include "event/trace.h"

#define CLOCK_LEVELS 16

/* The time of a step: its thread's own component and, as an offset into the pool, the others'. */
struct clock_time {
  uint32_t tick, others;
  uint16_t thread;
  uint8_t level;
};

struct clock_thread {
  uint32_t tick, others;
};

/* An entry of a hash table with chains, newest first: who has last stored to, released, ... something. */
struct clock_note {
  uintptr_t key;
  uint32_t value, next;
  uint8_t kind, level, mask;
};

struct clock_change {
  uint8_t level;
  bool added; /* the thread was new */
  uint16_t thread;
  struct clock_thread before;
};

typedef VEC(uint32_t) clock_step_list;

struct clock {
  bool reads_told;              /* reads-from is told with clock_learn_from, not by LOAD events */
  VEC(struct clock_time) times; /* by step */
  VEC(struct clock_thread) threads[CLOCK_LEVELS];
  VEC(clock_step_list) ticks; /* level 0, by thread: the step with which it came to each tick */
  VEC(uint32_t) pool;         /* vectors: length, components */
  VEC(struct clock_note) notes;
  VEC(uint32_t) buckets; /* number + 1 of the newest note */
  VEC(struct clock_change) trail;
};

struct clock_mark {
  size_t times, pool, notes, trail;
};

/* Tell it the next step, which has number times.length. */
void clock_step(struct clock *c, const struct event *e, int level);

/* The thread reads what that step has stored. */
void clock_learn_from(struct clock *c, int level, int thread, uint32_t step);

uint32_t clock_ticks(const struct clock *c, int level, int thread); /* steps it has made */

/* How many steps of another thread have happened before what the thread does next? */
uint32_t clock_known(const struct clock *c, int level, int thread, int other);

/* Has the step, or step number `tick` of another thread, happened before what the thread does next? */
bool clock_knows(const struct clock *c, int level, int thread, uint32_t step);
bool clock_knows_tick(const struct clock *c, int level, int thread, int other, uint32_t tick);

/* How many steps of that thread have happened when this step has. */
uint32_t clock_component(const struct clock *c, uint32_t step, int thread);

/* Does a happen before b, or is it b?  pre: of the same level. */
static inline bool clock_ordered(const struct clock *c, uint32_t a, uint32_t b) {
  const struct clock_time *t = &c->times.data[a];
  return t->tick <= clock_component(c, b, t->thread);
}

/* The step of level 0 with which the thread came to the tick after this one; TRACE_NONE: it did not. */
static inline uint32_t clock_next_step(const struct clock *c, uint32_t thread, uint32_t tick) {
  bool more = thread < c->ticks.length && tick < c->ticks.data[thread].length;
  return more ? c->ticks.data[thread].data[tick] : TRACE_NONE;
}

/* How many threads a time has components for. */
int clock_threads(const struct clock *c, int level);

struct clock_mark clock_mark(const struct clock *c);
void clock_undo(struct clock *c, struct clock_mark m);
void clock_free(struct clock *c);

#endif
