/* Every schedule of a pm program before any failure, by traces and cuts (--schedule=all).
 *
 * A state in which the power can fail is a cut of some execution: a part of its operations that contains
 * with each one everything that happens before it.  What persistent memory may hold then depends on
 * the cut alone.  So one execution is run for each trace, that is each class of schedules in which
 * the same operations depend on each other in the same order (explore/dpor.h), always to its end; and
 * after it one walk over the executions after a failure (search/walk.h), in which the moment of the
 * failure is not chosen but narrowed by what loads read (memory/line.h).
 *
 *      thread 0     x=1 ..... clflush x .... y=1        moments of its process and of its buffer,
 *      thread 1          r=x .......... z=r             each with its vector of times
 *                        ^ a cut: how far each process had come
 *
 * docs/semantics.md says what depends on what.  Where an execution does something that is not told by
 * its operations (schedule.unfit) the search starts again by states (search/search.h).  Host memory. */
#ifndef SEARCH_TRACES_H
#define SEARCH_TRACES_H

#include "explore/dpor.h"
#include "memory/line.h"
#include <stdbool.h>

#define TRACES_UNREPEATED "it does not repeat what it did in the same schedule"

struct traces {
  bool on;          /* this is how schedules before any failure are explored */
  struct dpor dpor; /* before any failure */
  struct dpor last; /* after the last one */
  bool orders;      /* somebody asks what is ordered (door.h): then, after a failure, by this: */
  struct dpor run;

  /* The execution under way. */
  bool given;          /* it begins as its unit does (explore/dpor_unit.h), */
  bool covered;        /* and what follows it is left to somebody else */
  bool early;          /* somebody has looked in vain, and would look again */
  bool blocked;        /* everything that could happen was tried in another one */
  uint64_t hash;       /* of its operations so far */
  uint64_t clock;      /* the program's when there came to be a second thread */
  uint32_t operations; /* so far */
  struct dpor_preview preview;
  dpor_processes decided;
  VEC(uint32_t) begins;          /* by operation: events recorded before it */
  VEC(uint32_t) also;            /* results of threads that failed after another one had */
  VEC(struct operation) waiting; /* what threads waited to do when nobody could go on */

  /* When it had ended. */
  uint32_t events_begin, events_end; /* of it, in the search's list */
  struct moments moments;
  VEC(uint32_t) ticks;   /* by process: moments so far */
  VEC(uint32_t) reached; /* by operation: moments of its process when it was over */
  VEC(uint32_t) numbers; /* operations sorted by process, and */
  VEC(uint32_t) firsts;  /* by process: where its own begin */
  uint32_t before;       /* moments before there was a second thread */
  VEC(uint32_t)
  happened; /* by process: operations that the failure comes after, if that was asked */
  dpor_positions parting;

  /* Where the search's list ended before it, and how many runs after a failure there had been. */
  size_t events_base, frames_base;
  uint32_t runs_base;
};

extern struct traces traces;

/* Are schedules of executions after so many failures explored by traces?  Before any failure they are;
 * and where no further one follows, in the course of the walk, with what is left to try in `last`.
 * Executions in between are explored state by state: a failure may follow before, or after, a load is
 * answered. */
bool traces_follow(int level);
uint32_t traces_pick_last(const struct operation *options, uint32_t count, bool planned);

/* A run after a failure begins; an operation happens in it, and has that number. */
void traces_run_begins(void);
uint32_t traces_happens(const struct operation *o);
bool traces_ordered(uint32_t earlier, uint32_t later);

/* Until everything is explored, or the search is over. */
void traces_explore(void);
void traces_explore_units(void); /* the same for those that search.next_unit says */

/* A thread of the execution under way has failed as well. */
void traces_also(uint32_t result);

/* The program has stopped, unless it was given up: what is left in store buffers leaves them.  What it learnt from a clock or
 * from random numbers while there were several threads is not told by its operations. */
void traces_run_ends(bool given_up);

/* Name the failure of the execution that has just been covered by what it says about the cut. */
void traces_describe_failure(void);

/* Had the event, of the execution before any failure, happened by then, as far as it is known? */
bool traces_has_happened(uint32_t event);

void traces_share(void); /* register what a run changes, for --isolate */

#endif
