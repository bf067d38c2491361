/* Optimal dynamic partial order reduction (DPOR): one execution for each equivalence class of schedules.
 *
 * After Abdulla, Aronis, Jonsson and Sagonas, "Source Sets: A Foundation for Optimal Dynamic Partial Order Reduction"
 * (JACM 2017).  Executions are run to their end; then each race in them (two dependent events that could have come in
 * the other order) is reversed by a sequence of events that is inserted into a wakeup tree at the first of the two;
 * sleep sets leave out what was explored.
 *
 * A *process* is a thread or its store buffer (dpor_process).  An execution is the sequence of their operations on
 * things that more than one thread touches.  Happens-before follows from the order of each process, from operations
 * that depend on each other (operations_commute), and from who made whom possible; each event has a vector clock.
 *
 *      events     e1 e2 e3 e4 | e5 ...          executed, each with its clock
 *      at each    sleep set, wakeup tree        what need not be tried, and what is to be tried, instead of it
 *
 * An event that can end in several ways (operation.ways) is tried with each of them before it counts as explored.
 *
 * Whoever runs the program asks dpor_pick what happens next and tells dpor_note what happened, from the start of the
 * program each time; dpor_end plans what the execution has shown, dpor_next goes back to the last event with an
 * alternative.  Used by search/interleavings.c (sc, tso) and search/traces.c (pm).  Memory follows the length of one
 * execution and its wakeup trees, not the number of executions.  Host memory. */
#ifndef EXPLORE_DPOR_H
#define EXPLORE_DPOR_H

#include "base/map.h"
#include "base/vec.h"
#include "event/lanes.h"
#include "event/operation.h"

#define DPOR_NOBODY UINT32_MAX
/* Things (words, lines, locks, heap blocks) that an operation touches, at most. */
#define DPOR_KEYS 3

static inline uint32_t dpor_process(const struct operation *o) {
  return 2u * o->thread + o->drain;
}

struct futile;
struct dpor_sleeper;
struct dpor_given;
struct dpor_branch; /* a node of a wakeup tree */

/* For estimates: what was explored with other events in the place of the one that is there now. */
struct dpor_done {
  uint32_t events;   /* so many other events, */
  double executions; /* so many executions in all, */
  double last;       /* and so many with the newest of these events */
};

struct dpor_event {
  struct operation op;
  struct dpor_done done;
  double begun; /* executions explored when it was reached */
  uint32_t process;
  /* Of clocks: two for each lane (event/lanes.h), for threads and for their buffers. */
  uint32_t column;
  uint32_t number; /* 1, 2, ... among the events of its column */
  struct lanes_change lanes;
  /* The following are 1 + the position of an event, or 0: of its process, before it; that made it possible (dpor_note);
   * for a load, the store of its own thread that has left the buffer, and that it reads. */
  uint32_t before;
  uint32_t after;
  uint32_t answer;
  uint64_t keys[DPOR_KEYS];        /* the things it touches, */
  int key_count;                   /* so many; and, 1 + positions or 0, */
  uint32_t previous[DPOR_KEYS];    /* the newest event before it that touched each of them, */
  uint32_t stored[DPOR_KEYS];      /* and the newest one that stored to it */
  uint32_t sleep_begin, sleep_end; /* its sleep set, in dpor.sleepers; */
  uint32_t sleep_own;              /* from here on: those that were put to sleep in this place */
  uint32_t tried;                  /* the ways of it that were explored in this place, a bit each */
  bool bars;                       /* all of its sleep set is barred (dpor_unit.h) */
  bool planned;                    /* it was in a wakeup tree */
  bool failed;                     /* a compare-and-swap that was planned as one that succeeds */
  /* Wakeup tree: what is to be tried in its place, siblings in order. */
  struct dpor_branch *instead;
};

struct dpor_race {
  uint32_t first, second; /* positions; the second could have come before the first */
  bool settled;           /* a plan covers its reversal, whatever happens after the second event */
};

struct dpor {
  /* Source sets instead of wakeup trees: only the first event of a sequence is planned.  Set, and never cleared, when
   * wakeup trees take too much memory or executions are joined (joins.h). */
  bool beginnings;
  bool pm; /* dependence is operations_commute_pm, not operations_commute */
  VEC(struct dpor_event) events;
  VEC(uint32_t) clocks; /* vector clocks: a row of `width` numbers for each event */
  uint32_t width;       /* columns there is room for */
  struct lanes lanes;
  VEC(uint32_t) numbers;             /* by column: of its newest event */
  VEC(uint32_t) newest;              /* by process: 1 + position of its newest event, or 0 */
  VEC(struct dpor_sleeper) sleepers; /* sleep sets of all events, one after the other */
  VEC(struct dpor_race) races;       /* in the order of their second events */
  struct map things;          /* by key: 1 + position of the newest event that touched it, or 0 */
  struct dpor_branch *unused; /* free list: nothing is given back while the program runs */
  size_t planned;             /* branches of all wakeup trees; */
  size_t planned_whole;       /* if there are more, only beginnings are planned; 0: never */
  /* Wakeup tree behind the last event: what to do first, and its siblings. */
  struct dpor_branch *plan;
  uint32_t sleep_begin;        /* sleep set behind the last event: from here on; */
  uint32_t sleep_own;          /* from here on: those that were put to sleep there */
  bool bars;                   /* they are all barred */
  uint32_t at;                 /* how many events the execution under way has repeated or added */
  const struct futile *futile; /* looks that lead nowhere, and are not planned; or NULL */
  /* Executions to their end; and those given up because all options sleep. */
  uint64_t explored, blocked;
  struct dpor_done next_done; /* for the next new event */

  /* A part of the search (dpor_unit.h). */
  /* Nodes to begin with; the last one is where the execution goes on. */
  VEC(struct dpor_given) given;
  uint32_t given_count; /* so many until they have happened, then 0 */
  /* Alternatives to events before that position are left to others; */
  uint32_t root;
  VEC(bool) wanted; /* by such a position: this unit has found that there is one */
};

/* The index of the option of that process; DPOR_NOBODY: there is none. */
uint32_t dpor_option_of(const struct operation *options, uint32_t count, uint32_t process);

/* A new execution begins, with the events that dpor_next has left. */
void dpor_begin(struct dpor *d);

/* It goes on behind the first so many of them, which it does not repeat. */
void dpor_begin_at(struct dpor *d, uint32_t position);

/* Which of the options happens next: its index, or DPOR_NOBODY if all of them sleep.  The first one is preferred where
 * there is a choice.  *missing: what is to be repeated, or was planned, is no option. */
uint32_t dpor_pick(struct dpor *d, const struct operation *options, uint32_t count, bool *missing);

/* Would dpor_pick answer with this operation whatever the other options are, if it is the first of them? */
bool dpor_goes_on(const struct dpor *d, const struct operation *o);

/* dpor_pick has answered DPOR_NOBODY: is one of the options barred (dpor_unit.h)?  Then the unit has come to a
 * deadlock: a barred operation cannot happen, and whoever waits for a lock has to be told (dpor_waits). */
bool dpor_is_barred(const struct dpor *d);

/* Is this operation the one that is to be repeated, or is planned, next? */
bool dpor_demands(const struct dpor *d, const struct operation *o);

/* In which way (operation.ways) does this operation end, if it happens next? */
uint32_t dpor_way(const struct dpor *d, const struct operation *o);

/* This operation happened.  after: 1 + position of an event that made it possible (a creation, a wake-up; for a store
 * that leaves a buffer, what its thread did when it put it there), or 0.  Returns its position.  *same: false if an
 * earlier execution with the same choices did something else here. */
uint32_t dpor_note(struct dpor *d, const struct operation *o, uint32_t after, bool *same);

/* Nobody can go on, and this is what a process waits to do: it may have been possible earlier, so its races are
 * reversed like those of an event. */
void dpor_waits(struct dpor *d, const struct operation *o);

/* The execution was joined (explore/joins.h) and is not run any further, but this operation may still happen in it
 * later: reverse its races with the events so far.  What would come in between is not known, only which processes it
 * may be of. pre: the execution has ended, and nothing is planned behind its last event. */
typedef VEC(uint32_t) dpor_processes;
void dpor_foresee(struct dpor *d, const struct operation *o, const dpor_processes *processes);

/* 1 + the position of the newest event of that process so far, or 0. */
uint32_t dpor_newest(const struct dpor *d, uint32_t process);

/* For a search that goes back step by step and has other decisions between the events, such as what a load reads
 * (search/walk.h). */
struct dpor_mark {
  size_t events, sleepers;
  struct dpor_branch *plan; /* a copy */
};
/* retreat: drop the newest event; true: there is something to be tried in its place.  here: a mark to come back to when
 * another decision takes its next alternative: everything that was planned is still to be done then.  at_next: a mark
 * behind the next event.  back: go back to a mark.  forget: it is not needed any more.  skip: what is planned first
 * supposes another alternative of such a decision, and cannot be done. */
bool dpor_retreat(struct dpor *d);
struct dpor_mark dpor_here(struct dpor *d);
struct dpor_mark dpor_at_next(const struct dpor *d);
void dpor_back(struct dpor *d, const struct dpor_mark *m);
void dpor_forget(struct dpor *d, const struct dpor_mark *m);
void dpor_skip(struct dpor *d);

/* While the program runs ahead of such a search: what dpor_pick will answer, without changing anything. */
struct dpor_preview {
  const struct dpor_branch *plan;
  VEC(struct dpor_sleeper) sleepers;
};
void dpor_preview_begin(const struct dpor *d, struct dpor_preview *p);
uint32_t dpor_preview_pick(struct dpor_preview *p, const struct operation *options, uint32_t count);
void dpor_preview_take(const struct dpor *d, struct dpor_preview *p, const struct operation *o);

/* The execution under way starts again: drop all but the first `kept` events, and put what was planned back. */
void dpor_rewind(struct dpor *d, size_t kept);

/* The execution is over: reverse its races.  complete: it came to its end, and was not given up. */
void dpor_end(struct dpor *d, bool complete);

/* Go back to the last event with an alternative.  False: everything was explored. */
bool dpor_next(struct dpor *d);

/* The processes of the next execution as far as they are decided: those of the events that are left, and of what is
 * planned first. */
void dpor_decided(const struct dpor *d, dpor_processes *out);

/* How many events of the process happen before that one, itself included. */
uint32_t dpor_clock(const struct dpor *d, uint32_t position, uint32_t process);

/* Does event a happen before event b (or are they the same)? */
bool dpor_before(const struct dpor *d, uint32_t a, uint32_t b);

/* An estimate of how many executions there are.  It tends to be too low at first, because alternatives are found on the
 * way. Each alternative along the newest execution is taken to have as many executions as the event tried before it in
 * its place.  Call it after the end of an execution, before dpor_next. */
double dpor_estimate(const struct dpor *d);

/* The positions of the events that part this execution from those explored before: a cut of it (search/traces.h) that
 * does not contain all of them is also a cut of an earlier execution, and need not be searched again.
 *
 * Why: an operation in a sleep set was explored in an earlier execution with the same events before it.  As long as
 * nothing that depends on it has happened it could have come first, and that is the earlier execution.  It counts only
 * where one event wakes it, and everything else that would happens after that event. */
typedef VEC(uint32_t) dpor_positions;
void dpor_out_of_turn(const struct dpor *d, dpor_positions *out);

void dpor_free(struct dpor *d);

#endif
