/* The search over failures and over what loads may read after them (pm model).
 *
 * search_run walks, for every failure point of every execution, the trie of what later executions
 * observed (explore/memo.h) with that point's constraints (memory/line.h), and has the program run
 * only where the trie has no answer yet.  During such a run the program's questions come back here
 * through search_door.
 *
 * Level = number of failures before an execution: level 0 is the run before any failure, its stores
 * are domain 0 of memory/, and so on. */
#ifndef SEARCH_SEARCH_H
#define SEARCH_SEARCH_H

#include "analysis/analysis.h"
#include "door/door.h"
#include "explore/dpor.h"
#include "explore/memo.h"
#include "explore/sharing.h"
#include "explore/sleep.h"
#include "explore/strategy.h"
#include "process/generation.h"
#include "process/stop.h"
#include "search/history.h"
#include "search/walk.h"

/* How far the walk along an execution has come. */
struct search_progress {
  uint32_t failure_points; /* seen so far */
  bool keeps_address;      /* it has put an address of its volatile memory into watched memory */
};

/* What goes back with the walk, besides what the walk puts back itself. */
struct search_mark {
  size_t steps;        /* of history.steps */
  size_t trace, loads; /* of history.trace and .loads */
  struct analyses_mark analyses;
  struct search_progress progress;
  struct sleep_mark sleep;
  struct strategy_state picks;
  struct dpor_mark turns; /* of traces.last */
};

struct search {
  int failures_max;
  bool share;       /* false: run the program for every execution (--no-share) */
  bool count_eager; /* also count the states an eager checker would explore */
  struct strategy strategy;
  uint64_t runs; /* how many schedules are sampled */
  struct history history;
  struct memory memory;
  struct memo_node *initial;
  /* By whether their schedules follow traces, and by generation; NULL: nobody was there yet. */
  struct memo_node *recovery[2][LAYOUT_GENERATIONS];
  int generation; /* of volatile memory, in the execution under way (process/generation.h) */
  struct walk walk;
  bool takes_turn; /* the branch that is about to be made is that of a turn (search/traces.h) */
  struct search_progress progress; /* of the execution that is walked */
  VEC(struct search_mark) marks;
  struct analyses *analyses; /* NULL: none are wanted */
  uint64_t executions, program_runs, failure_points;
  uint64_t schedules; /* of the program before any failure */

  /* Where the walk is. */
  uint64_t run; /* sampled schedules: its number */
  struct sleep sleep;
  struct strategy_state picks;
  uint32_t runs_after_failure;  /* of the program */
  bool restart;                 /* the search has relied on something that does not hold */
  struct sharing sharing[2];    /* before any failure; after one */
  uint32_t longest;             /* sampled schedules: choices in the longest so far */
  bool schedules_after_failure; /* executions after a failure have some to choose from */

  /* Provided by the session. */
  uint32_t (*execute)(int level);    /* run the program; a number for its result */
  void (*started)(void);             /* the search begins, perhaps again */
  void (*finished)(uint32_t result); /* an execution is covered */
  bool (*stopped)(struct search *s); /* a budget is used up or the user said stop */
  void (*eager)(struct search *s);   /* at each failure point, if count_eager */

  /* The program run under way. */
  int level;
  memo_path path;
  size_t cursor;
  uint64_t path_hash;           /* of the observations so far */
  struct memo_node *at;         /* where new observations go */
  struct memo_node *checksum;   /* node at which the validation under way began, or NULL */
  unsigned long checksum_turns; /* of all threads by then */
  uint32_t events_mark;
  uint32_t points; /* failure points so far */
  bool recording;  /* once it does something new */
  struct sleep run_sleep;
  struct strategy_state run_picks;
};

extern struct search search;

void search_run(void);

/* A load of what an earlier execution may have left, by its number in the execution under way. */
struct analysis_load search_load(uint32_t number);

/* For measurements: the execution before any failure so many times, and nothing after it. */
void search_repeat(int64_t times);

extern const struct door search_door; /* for program runs on behalf of this search */

/* Has the run that just ended left out something that it did before? */
bool search_replay_cut_short(void);

#endif
