/* The search over schedules of an ordinary program (--model=sc, --model=tso): nothing fails, and all memory is watched.
 *
 *   all        one execution for each equivalence class of schedules: optimal DPOR (explore/dpor.h)
 *   bounded:K  every schedule with at most K preemptions, one after the other
 *   random, pct:D, fixed   single schedules (explore/strategy.h)
 *
 * An execution runs from the start of the program, or from a state that an earlier one with the same beginning was in
 * (search/waypoints.h), under interleavings_door.  Which memory threads share is learnt on the way (access/ordinary.h,
 * explore/sharing.h); when the search has relied on something that turns out wrong (ordinary.broken) it starts again,
 * knowing more.
 *
 * interleavings.c runs executions and answers the door, interleavings_unit.c explores parts of the search,
 * interleavings_ahead.c samples schedules while a large search goes on.  One search, `interleavings`, in host
 * memory. */
#ifndef SEARCH_INTERLEAVINGS_H
#define SEARCH_INTERLEAVINGS_H

#include "door/door.h"
#include "explore/dpor.h"
#include "explore/strategy.h"
#include "search/history.h"
#include "search/unit.h"

/* A choice of bounded schedules: which of the alternatives is taken, of how many (0: not known yet). */
struct interleavings_choice {
  uint32_t taken, count;
};

/* bounded: after so many operations of one thread in a row, while others could go on, one of those has its turn.  The
 * thread probably waits for it in a loop. */
#define INTERLEAVINGS_PATIENCE 100000

/* pct: a schedule is taken to be as long as the longest one before it, among the first so many.  So each is a function of
 * its number, in whatever order a worker comes to them. */
#define INTERLEAVINGS_TRIALS 16

struct interleavings {
  struct strategy strategy;
  uint64_t runs;     /* how many schedules are sampled */
  uint64_t runs_end; /* end of the part of them under way */
  /* bounded: if there are at most so many classes of schedules, explore those instead. */
  uint64_t all_first;
  struct history history;
  struct dpor dpor;
  uint64_t executions, program_runs, restarts;
  uint64_t schedules; /* executions of all units */
  /* Executions that were given up because a waiting loop looked before anything had changed. */
  uint64_t came_early;
  bool classes;     /* bounded: classes of schedules are being explored, see all_first */
  bool every_class; /* all classes were explored, although only some schedules were asked for */
  double estimate;  /* about how many executions there are; 0: not known */

  /* Provided by the session. */
  uint32_t (*execute)(void);         /* run the program; a number for its result */
  void (*started)(void);             /* the search begins, perhaps again */
  void (*finished)(uint32_t result); /* an execution is covered */
  void (*given_up)(void); /* one was given up early; what was seen until then counts (came_early) */
  /* A sampled schedule (interleavings_ahead.c) has this result, which the search will count later.  NULL: nobody wants
   * to know. */
  void (*glimpsed)(uint32_t result);
  bool (*stopped)(void);
  bool (*full)(void);                /* what is kept is too much: an execution ends where it is */
  bool (*next_unit)(struct unit *u); /* parts of the search (session/units.h); NULL: all of it */
  bool (*unit_goes_on)(void);
  void (*unit_ends)(enum unit_end how);

  /* The execution under way. */
  bool resumes;                /* it goes on from a waypoint (waypoints.h) */
  size_t unchanged;            /* the least number of events with which one began, lately */
  VEC(struct operation) trace; /* what happened, unless dpor has it; */
  struct dpor order;           /* clocks of its beginning, if somebody has asked */
  struct strategy_state picks;
  uint64_t run;                             /* sampled: its number */
  uint32_t lengths[INTERLEAVINGS_TRIALS];   /* pct: choices of the first schedules, */
  bool measured[INTERLEAVINGS_TRIALS];      /* if they are known */
  VEC(struct interleavings_choice) choices; /* bounded: of this schedule */
  size_t choices_given; /* alternatives to the first so many are left to other units */
  size_t choice_at;     /* how many of the choices have been made */
  uint32_t preemptions;
  uint32_t last;     /* process (dpor_process) of the newest operation that was no drain */
  uint32_t in_a_row; /* operations of it where another thread could have gone on */
  bool relieved;     /* bounded: some thread exceeded INTERLEAVINGS_PATIENCE, in some execution */
  bool own_drain;    /* the newest operation was a store leaving the buffer of thread `last` */
  size_t facts_told; /* replay: choices of the token that say what is shared */
  bool blocked;      /* given up: everything that could happen sleeps */
  /* Given up: a waiting loop looked before anything had changed; another execution has it later. */
  bool early;
  bool repeated; /* it was run again, to be described */
  bool silent;   /* it does not count: run only to learn how long schedules are */
  bool ahead; /* it is a sample (interleavings_ahead.c): not counted, but what it shows is told; */
  size_t longest;       /* it is given up after so many events */
  bool first_part;      /* the unit under way is the first one of the search, or all of it */
  uint64_t since_ahead; /* events since the last samples */
};

extern struct interleavings interleavings;
extern const struct door interleavings_door;

void interleavings_run(void);
extern const struct unit_form interleavings_form; /* of bounded and sampled schedules */

/* What happened in the execution under way, in order. */
size_t interleavings_events(void);
const struct operation *interleavings_event(size_t i);

/* So many of them, from the first one on, are those of the execution in which that was asked before. */
size_t interleavings_unchanged(void);

/* Does the first of them come before the second in every schedule that is equivalent to this one? */
bool interleavings_before(uint32_t first, uint32_t second);

/* The same for reports and tokens: fills history.steps and the choices.  May run the program again. */
void interleavings_describe(void);

void interleavings_share(void); /* register what a run changes, for --isolate */

#endif
