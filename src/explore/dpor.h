/* Every schedule up to equivalence, each once: optimal dynamic partial order reduction.
 *
 * After Abdulla, Aronis, Jonsson and Sagonas, "Source Sets: A Foundation for Optimal Dynamic Partial
 * Order Reduction" (JACM 2017): executions are run to their end, races in them are turned round by
 * sequences kept in wakeup trees, sleep sets leave out what was explored.
 *
 * A process is a thread or its store buffer (dpor_process).  An execution is the sequence of their
 * operations on things that more than one thread touches; what happens before what follows from
 * the order of each process, from operations that depend on each other, and from who let whom go on.
 *
 *      events     e1 e2 e3 e4 | e5 ...          executed; each with its clock,
 *      at each    sleep set, wakeup tree        what is left to try instead of it
 *
 * An event that can end in several ways is tried with each of them before it counts as explored.
 *
 * Whoever runs the program asks dpor_pick what happens next and tells dpor_note what happened, from
 * the start of the program each time; dpor_next goes back to the last event that has an alternative.
 * What can be kept follows the length of one execution, not their number.  Host memory. */
#ifndef EXPLORE_DPOR_H
#define EXPLORE_DPOR_H

#include "base/map.h"
#include "base/vec.h"
#include "event/lanes.h"
#include "event/operation.h"

#define DPOR_NOBODY UINT32_MAX
#define DPOR_KEYS 3 /* things that an operation is about, at most */

static inline uint32_t dpor_process(const struct operation *o) {
  return 2u * o->thread + o->drain;
}

struct futile;
struct dpor_sleeper;
struct dpor_given;
struct dpor_branch; /* a node of a wakeup tree */

/* How much was explored from one place, with other events before the one that is there now. */
struct dpor_done {
  uint32_t events;
  double executions;
  double last; /* of them with the newest of these events */
};

struct dpor_event {
  struct operation op;
  struct dpor_done done;
  double begun; /* executions explored when it was reached */
  uint32_t process;
  uint32_t column; /* of clocks: two for each lane, for threads and their buffers */
  uint32_t number; /* 1, 2, ... among the events of its column */
  struct lanes_change lanes;
  uint32_t before; /* 1 + position of the event of its process before it, or 0 */
  uint32_t after;  /* the same for the event that made it possible (dpor_note), */
  uint32_t answer; /* for the store of a load's own thread that has left the buffer, and it reads */
  uint64_t keys[DPOR_KEYS];     /* the things it is about, */
  int key_count;                /* so many, and */
  uint32_t previous[DPOR_KEYS]; /* 1 + position of the events that touched them before it, or 0, */
  uint32_t stored[DPOR_KEYS];   /* and of those that stored to them */
  uint32_t sleep_begin, sleep_end;
  uint32_t sleep_own;          /* from here on: those put to sleep in this place */
  uint32_t tried;              /* ways of it, a bit each, in this place */
  bool bars;                   /* all who sleep here are barred (dpor_unit.h) */
  bool planned;                /* it was in a wakeup tree */
  bool failed;                 /* a compare-and-swap that was planned as one that succeeds */
  struct dpor_branch *instead; /* what is to be tried in its place: siblings, in order */
};

struct dpor_race {
  uint32_t first, second; /* positions; the second could have come before the first */
  bool settled;           /* what is planned covers that, whatever happens after the second */
};

struct dpor {
  bool pm; /* what depends on what: operations_commute_pm instead of operations_commute */
  VEC(struct dpor_event) events;
  VEC(uint32_t) clocks; /* a row of `width` numbers for each event */
  uint32_t width;       /* columns there is room for */
  struct lanes lanes;
  VEC(uint32_t) numbers; /* by column: of its newest event */
  VEC(uint32_t) newest;  /* by process: 1 + position of its newest event, or 0 */
  VEC(struct dpor_sleeper) sleepers;
  VEC(struct dpor_race) races; /* by their second event */
  struct map things;           /* 1 + position of the newest event that touched it, or 0 */
  struct dpor_branch *unused;  /* to be used again: nothing is given back while the program runs */
  size_t planned;              /* branches of all trees; */
  size_t planned_whole;        /* if there are more, only beginnings are planned; 0: never */
  struct dpor_branch *plan; /* beyond the events: what to do first; its siblings are alternatives */
  uint32_t sleep_begin;     /* sleep set beyond the events: from here on; */
  uint32_t sleep_own;       /* from here on those put to sleep there */
  bool bars;                /* they are all barred */
  uint32_t at;              /* events the execution under way has repeated or added */
  const struct futile *futile; /* looks that are not planned; NULL: nothing is known of such */
  uint64_t explored, blocked;  /* executions to their end; those given up because all is asleep */
  struct dpor_done next_done;  /* of the place where the next new event will be */

  /* A part of the search (dpor_unit.h). */
  VEC(struct dpor_given) given; /* events to begin with, and where they end; */
  uint32_t given_count;         /* so many until they have happened, then 0 */
  uint32_t root;                /* before that position everything else is left to others, and */
  VEC(bool) wanted;             /* by position: there is something */
};

/* Which of the options is one of that process?  DPOR_NOBODY: none. */
uint32_t dpor_option_of(const struct operation *options, uint32_t count, uint32_t process);

/* A new execution begins, with the events that dpor_next has left. */
void dpor_begin(struct dpor *d);

/* Which of these happens next: a number, or DPOR_NOBODY if all of them were tried.  The first one is
 * preferred where there is a choice.  *missing: the execution should be repeated, but cannot be. */
uint32_t dpor_pick(struct dpor *d, const struct operation *options, uint32_t count, bool *missing);

/* Does the process go on without asking?  True where dpor_pick would answer with it, whatever else
 * there is. */
bool dpor_goes_on(const struct dpor *d, const struct operation *o);

/* Is it certain to happen next, whatever else there is and whether it was tried before or not? */
bool dpor_demands(const struct dpor *d, const struct operation *o);

/* In which way does the operation end that happens next? */
uint32_t dpor_way(const struct dpor *d, const struct operation *o);

/* This happened.  after: 1 + position of an event that made it possible (a creation, a wake-up, the
 * place of a store among the thread's events), or 0.  Returns its position; *same: false if another
 * execution with the same choices did something else here. */
uint32_t dpor_note(struct dpor *d, const struct operation *o, uint32_t after, bool *same);

/* Nobody goes on, and this is what a process waits to do: it may have been possible earlier. */
void dpor_waits(struct dpor *d, const struct operation *o);

/* 1 + the position of the newest event of that process so far, or 0. */
uint32_t dpor_newest(const struct dpor *d, uint32_t process);

/* For a search that goes back step by step (search/walk.h).  retreat: drop the newest event and, unless
 * it returns false, go on with what is to be tried in its place.  back: to a mark, where something else
 * than an operation has another outcome, and what was planned is still to be done; or to the next event
 * after it.  forget: the mark is not needed any more.  skip: what is planned first belongs to another
 * outcome, and cannot be done. */
struct dpor_mark {
  size_t events, sleepers;
  struct dpor_branch *plan; /* a copy */
};
bool dpor_retreat(struct dpor *d);
struct dpor_mark dpor_here(struct dpor *d);
struct dpor_mark dpor_at_next(const struct dpor *d);
void dpor_back(struct dpor *d, const struct dpor_mark *m);
void dpor_forget(struct dpor *d, const struct dpor_mark *m);
void dpor_skip(struct dpor *d);

/* While the program runs ahead of such a search: what dpor_pick will say. */
struct dpor_preview {
  const struct dpor_branch *plan;
  VEC(struct dpor_sleeper) sleepers;
};
void dpor_preview_begin(const struct dpor *d, struct dpor_preview *p);
uint32_t dpor_preview_pick(struct dpor_preview *p, const struct operation *options, uint32_t count);
void dpor_preview_take(const struct dpor *d, struct dpor_preview *p, const struct operation *o);

/* Forget what the execution under way has added to the first `kept` events: it starts again. */
void dpor_rewind(struct dpor *d, size_t kept);

/* The execution is over: turn its races round.  complete: it came to its end. */
void dpor_end(struct dpor *d, bool complete);

/* Go back to the last event with an alternative.  False: everything was explored. */
bool dpor_next(struct dpor *d);

/* The processes whose turn it will be as far as that is decided: those of the events that are left, and of
 * what is planned first. */
typedef VEC(uint32_t) dpor_processes;
void dpor_decided(const struct dpor *d, dpor_processes *out);

/* How many events of the process happen before that one, itself included. */
uint32_t dpor_clock(const struct dpor *d, uint32_t position, uint32_t process);

/* Does event a happen before event b (or are they the same)? */
bool dpor_before(const struct dpor *d, uint32_t a, uint32_t b);

/* About how many executions there are, of what is known to be left; it tends to be too few at first, because
 * alternatives are found on the way.  After the end of an execution, before dpor_next.
 *
 * Each alternative along the newest execution is taken to have as many executions as the event tried before it in
 * its place. */
double dpor_estimate(const struct dpor *d);

/* Events that part this execution from those explored before: whatever part of it does not contain
 * one of them, with all that happens before it, is part of an earlier one.  Fills in positions.
 *
 * An operation that sleeps was explored in an earlier execution, up to where the sleep set has it.  As
 * long as nothing depends on it, it could have come first, and that is the earlier execution.  Only
 * where a single event wakes it, or others that do happen after that one, there is such an event. */
typedef VEC(uint32_t) dpor_positions;
void dpor_out_of_turn(const struct dpor *d, dpor_positions *out);

void dpor_free(struct dpor *d);

#endif
