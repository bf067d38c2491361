/* Every schedule of a pm program before any failure, by traces and cuts (--schedule=all).
 *
 * A state in which the power can fail is a *cut* of some execution: a set of its operations that contains with each one
 * everything that happens before it.  What persistent memory may hold then depends on the cut alone.  So one execution
 * is run for each trace, that is, for each class of schedules in which the same operations depend on each other in the
 * same order (a Mazurkiewicz trace; explore/dpor.h finds one schedule of each), always to its end.  After it comes one
 * walk over the executions after a failure (search/walk.h), in which the moment of the failure is not chosen but left
 * open, and narrowed by what loads read (memory/line.h, memory/cut.h).
 *
 *      thread 0     x=1 ..... clflush x .... y=1        each store and write-back is a *moment* of its thread or of
 *      thread 1          r=x .......... z=r             its thread's buffer, with a vector clock
 *                        ^ a cut: how far each of them had come
 *
 * docs/semantics.md ("Equivalence") says what depends on what.  Where an execution does something that its operations
 * do not show (schedule.unfit) the search starts again state by state (search/search.h).  Driven by search_run; one
 * struct, `traces`.  Host memory. */
#ifndef SEARCH_TRACES_H
#define SEARCH_TRACES_H

#include "access/outcome.h"
#include "explore/dpor.h"
#include "explore/joins.h"
#include "explore/strategy.h"
#include "memory/line.h"
#include "search/trace_state.h"
#include <stdbool.h>

#define TRACES_LEVEL 0 /* of the executions that are explored here */
#define TRACES_UNREPEATED "it does not repeat what it did in the same schedule"

struct traces {
  bool on;          /* schedules are explored in this way */
  struct dpor dpor; /* of executions before any failure */
  struct dpor last; /* of executions after the last failure, in the course of the walk */
  bool orders;      /* door.ordered is used; after a failure it is answered by: */
  struct dpor run;  /* the operations of the run under way */

  /* The execution under way. */
  bool given;   /* it is the first of its unit (explore/dpor_unit.h) */
  bool covered; /* failures in it are left to somebody else */
  /* Given up: only waiting loops are left, which would look again at what has not changed. */
  bool early;
  /* Given up: other threads could go on, but it was joined (search/trace_join.h). */
  bool stopped;
  bool blocked;                  /* given up: everything that could happen sleeps */
  uint64_t hash;                 /* of its operations so far */
  uint64_t clock;                /* state of the program's clock at its first operation */
  uint32_t operations;           /* so far */
  struct dpor_preview preview;   /* after the last failure: what `last` will decide */
  dpor_processes decided;        /* scratch */
  VEC(uint32_t) begins;          /* by operation: length of the event list before it */
  VEC(uint32_t) also;            /* results of threads that failed after the first one had */
  VEC(struct operation) waiting; /* what threads waited to do when nobody could go on */

  /* Joining executions that come to the same state (search/trace_join.c). */
  struct trace_join {
    int64_t after; /* begin when so many executions were explored; negative: never */
    bool allowed;
    bool pays; /* not found to be useless yet */
    bool
        judged_last; /* after the last failure: it was decided whether that pays, below the first choice under way, */
    bool settled; /* or somewhere in this unit */
    /* More than two threads could go on somewhere, before any failure or after the last one: nothing is joined. */
    bool crowded, crowded_last;
    bool inherited; /* the search that the unit is a part of has begun to join */
    struct trace_states states;
    struct joins joins;
    uint64_t begun; /* dpor.explored when the search or the unit began */

    /* After the last failure, while there are several threads: `last` instead of `dpor`. */
    struct joins joins_last;
    uint64_t begun_last; /* last.explored when there came to be several */
    size_t choices_last; /* choices that were made by then */

    /* The execution under way. */
    struct outcome_mark said; /* before it */
    bool others;              /* a thread has failed, and the others go on */
    bool asks;                /* a fiber waits for the host to take the state; */
    uint32_t state;           /* its number */
    /* An earlier execution was in that state, and it is not run any further. */
    bool joined;
    /* Sets of threads, a bit each.  Those that are run alone from the joined state, one after the other, so that no cut
     * is lost; those that only wait for others to end; while one is run alone, those that do not go on. */
    uint64_t alone;
    uint64_t joining;
    uint64_t frozen;
  } join;

  /* Looks ahead (search/trace_ahead.c). */
  struct trace_ahead {
    bool allowed;
    bool first; /* the first execution of the search or unit: nothing else was counted yet */
    bool due;   /* what follows it was left for a look ahead, */
    bool again; /* and is explored once more */
    uint64_t schedules, failure_points; /* of the search, before it */
    double leave_after;                 /* CPU seconds of search before it may be left */
    uint64_t samples;
    struct strategy strategy; /* of the sample under way */
    struct strategy_state picks;
  } ahead;

  /* After it has ended. */
  uint32_t events_begin, events_end; /* its events, in the search's list */
  struct moments moments;
  VEC(uint32_t) ticks;   /* by process: moments so far */
  VEC(uint32_t) reached; /* by operation: moments of its process when it was over */
  VEC(uint32_t) numbers; /* operations sorted by process, and */
  VEC(uint32_t) firsts;  /* by process: where its own begin */
  uint32_t before;       /* moments before there was a second thread */
  /* Scratch, by process: how many of its operations the least cut contains. */
  VEC(uint32_t) happened;
  dpor_positions parting; /* every cut that is new contains one of these (dpor_out_of_turn) */

  /* Lengths of the search's lists before it, and how many runs after a failure there had been by then. */
  size_t events_base, frames_base;
  uint32_t runs_base;
};

extern struct traces traces;

/* Are schedules of executions after so many failures explored by traces?  Those before any failure are; and those that
 * no further failure follows, in the course of the walk, with what is left to try in `last`.  Executions in between are
 * explored state by state: a failure may come before or after a load is answered. */
bool traces_follow(int level);
/* After the last failure: which option is next; DPOR_NOBODY: none.  planned: only one that a wakeup tree has. */
uint32_t traces_pick_last(const struct operation *options, uint32_t count, bool planned);

/* A run begins; an operation happens in it, and gets a number (door.happens, door.ordered). */
void traces_run_begins(void);
uint32_t traces_happens(const struct operation *o);
bool traces_ordered(uint32_t earlier, uint32_t later);

/* Explore everything, or until the search is over; and unit by unit, as search.next_unit says. */
void traces_explore(void);
void traces_explore_units(void);

/* A thread of the execution under way has failed, and others go on. */
void traces_others_go_on(void);

/* Has the run paused to have its state taken?  Then that is done, and it can go on. */
bool traces_answer(void);

/* A further thread of the execution under way has failed, with that result. */
void traces_also(uint32_t result);

/* The program has stopped.  Unless the run was given up, what is left in store buffers leaves them now.  If it has
 * looked at a clock or taken random numbers while there were several threads, its operations do not tell all
 * (schedule.unfit). */
void traces_run_ends(bool given_up);

/* For looks ahead.  Run the program before any failure, from its start; put down how that execution came about, count it
 * (but not in a look ahead), and search failures in it. */
uint32_t traces_run_once(void);
void traces_cover(uint32_t result);

void traces_share(void); /* register what a run changes, for --isolate */

#endif
