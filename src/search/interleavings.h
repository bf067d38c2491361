/* The search over schedules of an ordinary program (--model=sc, --model=tso): no failures, all memory.
 *
 *   all        every schedule up to equivalence, each once (explore/dpor.h)
 *   bounded:K  every schedule with at most K preemptions
 *   random, pct:D, fixed   single ones
 *
 * Each execution runs from the start of the program.  Which memory threads share is learnt on the way
 * (access/ordinary.h); when the search has relied on something that turns out wrong it starts again. */
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

#define INTERLEAVINGS_PATIENCE 100000 /* operations in a row, while others could go on */

struct interleavings {
  struct strategy strategy;
  uint64_t runs;      /* how many schedules are sampled */
  uint64_t runs_end;  /* of the part under way */
  uint64_t all_first; /* bounded: are there no more classes of schedules than that? */
  struct history history;
  struct dpor dpor;
  uint64_t executions, program_runs, restarts;
  uint64_t schedules;  /* executions of all units */
  uint64_t came_early; /* executions that were given up because a thread had looked in vain */
  bool classes;        /* bounded: they are explored now, at first */
  bool every_class;    /* was explored, although only some were asked for */
  double estimate;     /* about how many executions there are; 0: not known */

  /* Provided by the session. */
  uint32_t (*execute)(void);         /* run the program; a number for its result */
  void (*started)(void);             /* the search begins, perhaps again */
  void (*finished)(uint32_t result); /* an execution is covered */
  void (*given_up)(void);            /* one was of interest until it was given up */
  void (*glimpsed)(
      uint32_t
          result); /* there is one like that (interleavings_ahead.c); NULL: nobody wants to know */
  bool (*stopped)(void);
  bool (*next_unit)(struct unit *u); /* parts of it (session/units.h); NULL: search all */
  bool (*unit_goes_on)(void);
  void (*unit_ends)(enum unit_end how);

  /* The execution under way. */
  VEC(struct operation) trace; /* what happened, unless dpor has it */
  struct strategy_state picks;
  uint64_t run;
  VEC(struct interleavings_choice) choices; /* bounded */
  size_t choices_given; /* alternatives to the first so many are left to others */
  size_t choice_at;
  uint32_t preemptions;
  uint32_t last;        /* thread of the newest operation, as a process */
  uint32_t in_a_row;    /* operations of it where another thread could have gone on */
  bool relieved;        /* bounded: some thread had too many of these, in some execution */
  bool own_drain;       /* since then a store has left that thread's buffer */
  size_t facts_told;    /* replay: choices of the token that say what is shared */
  bool blocked;         /* everything that could happen was tried in another execution */
  bool early;           /* a thread has looked in vain: it comes later in another execution */
  bool repeated;        /* it was run again, to be described */
  bool silent;          /* it does not count */
  bool ahead;           /* nor does this one, but what it shows is told; */
  size_t longest;       /* it is given up after so many events, and */
  bool first_part;      /* of the search, or all of it */
  uint64_t since_ahead; /* so much was done since the last one */
};

extern struct interleavings interleavings;
extern const struct door interleavings_door;

void interleavings_run(void);
extern const struct unit_form interleavings_form; /* of bounded and sampled schedules */

/* What happened in the execution under way, in order. */
size_t interleavings_events(void);
const struct operation *interleavings_event(size_t i);

/* The same for reports and tokens: fills history.steps and the choices.  May run the program again. */
void interleavings_describe(void);

void interleavings_share(void); /* register what a run changes, for --isolate */

#endif
