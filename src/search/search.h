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
#include "base/curve.h"
#include "door/door.h"
#include "explore/dpor.h"
#include "explore/memo.h"
#include "explore/sharing.h"
#include "explore/sleep.h"
#include "explore/strategy.h"
#include "process/generation.h"
#include "process/stop.h"
#include "search/history.h"
#include "search/merge.h"
#include "search/record.h"
#include "search/scout.h"
#include "search/unit.h"
#include "search/walk.h"

/* How far the walk along an execution has come. */
struct search_progress {
  uint32_t failure_points; /* seen so far */
  uint32_t points;         /* known so far; before any failure */
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
  bool recall;      /* what came of an execution that knows the same is not walked again */
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
  struct merge merge;
  bool merges;           /* in the walk under way states mean something */
  bool counts;           /* what is stored, and what was written back since, is part of them */
  uint64_t walks;        /* that were begun */
  struct intern besides; /* what analyses know, where executions are compared */
  struct scout scout;
  size_t memory_max;   /* bytes; more is forgotten, at the next failure point */
  size_t bytes_before; /* that were in use without what is known about executions after a failure */
  bool takes_turn;     /* the branch that is about to be made is that of a turn (search/traces.h) */
  struct search_progress progress; /* of the execution that is walked */
  VEC(struct search_mark) marks;
  struct analyses *analyses; /* NULL: none are wanted */
  struct bigint more;        /* executions that were not walked; not among: */
  uint64_t executions, program_runs, failure_points;
  uint64_t schedules;  /* of the program before any failure */
  struct curve growth; /* executions, by failure points of the fixed schedule */

  /* Where the walk is. */
  uint64_t run; /* sampled schedules: its number */
  struct sleep sleep;
  struct strategy_state picks;
  uint32_t runs_after_failure;  /* of the program */
  volatile uint32_t *observed;  /* counts what a run finds out that no other has, if not NULL */
  bool cut_short;               /* the run has ended while other threads could have gone on */
  bool restart;                 /* the search has relied on something that does not hold */
  struct sharing sharing[2];    /* before any failure; after one */
  uint32_t longest;             /* sampled schedules: choices in the longest so far */
  bool skims;                   /* the schedule under way lies before the range: no failures */
  bool schedules_later;         /* what the first sampled schedule says about: */
  bool schedules_after_failure; /* executions after a failure have some to choose from */

  /* Provided by the session. */
  uint32_t (*execute)(int level);    /* run the program; a number for its result */
  void (*started)(void);             /* the search begins, perhaps again */
  void (*finished)(uint32_t result); /* an execution is covered */
  bool (*is_news)(uint32_t result);  /* is there nothing like that yet, counted or glimpsed? */
  void (*glimpsed)(uint32_t result); /* there is one like that; it will be covered later */
  bool (*ending)(void);              /* it is to end at a new position */
  bool (*interrupted)(void);         /* somebody waits for the search to come to a new position */
  /* So many executions ended like that, which were not walked; and can that be said: was one like that
   * counted before? */
  void (*repeated)(uint32_t result, const struct bigint *times);
  bool (*known)(uint32_t result);
  bool (*stopped)(struct search *s); /* a budget is used up or the user said stop */
  void (*eager)(struct search *s);   /* at each failure point, if count_eager */
  bool (*next_range)(
      void); /* the range of the choices is done: is there another?  NULL: search all */
  /* Traces, in units (session/units.h); NULL: all of them. */
  bool (*next_unit)(struct unit *u);
  void (*unit_covers)(void);  /* what follows the execution under way is about to be explored */
  bool (*unit_is_left)(void); /* what comes after that was given away */
  bool (*unit_goes_on)(void);
  void (*unit_ends)(enum unit_end how);
  void (*reload_unit)(void);

  /* The program run under way. */
  int level;
  struct memo_node *resume; /* it goes on from the state there; NULL: from the start */
  struct record record;
  bool unchained;               /* the next load gets a node of its own */
  uint64_t left;                /* steps when it went beyond what is known */
  uint64_t path_hash;           /* of the observations so far */
  struct memo_node *checksum;   /* node at which the validation under way began, or NULL */
  unsigned long checksum_turns; /* of all threads by then */
  uint32_t events_mark;
  uint32_t points; /* failure points so far */
  bool recording;  /* once it does something new */
  struct sleep run_sleep;
  struct strategy_state run_picks;
};

extern struct search search;

/* What the search keeps about executions after a failure, and what came with it. */
size_t search_remembered_bytes(void);

void search_run(void);

/* A load of what an earlier execution may have left, by its number in the execution under way. */
struct analysis_load search_load(uint32_t number);

/* For measurements: the execution before any failure so many times, and nothing after it. */
void search_repeat(int64_t times);

extern const struct door search_door; /* for program runs on behalf of this search */

/* For the session's run of the program: it goes on from a state instead of the start, if there is one.
 * And it has paused: to ask the search, which lets it go on?  Otherwise *why says why not. */
bool search_resumes(void);
bool search_resumes_at_state(void); /* one that was compared (search/merge.h) */
void search_resume(void);
bool search_answers(struct stop *why);

/* Has the run that just ended left out something that it did before? */
bool search_replay_cut_short(void);

#endif
