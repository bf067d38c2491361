/* The search of the pm model: over failures, and over what loads may read after them.
 *
 * Lazy constraint refinement, as in Jaaru (ASPLOS 2021): what a failure leaves in memory is not enumerated but kept as
 * an interval of possible write-backs for each line (memory/line.h), and a load after the failure branches over the
 * stores it can read.  In addition, what executions observed is kept in a trie (explore/memo.h): search_run walks, for
 * every failure point of every execution, that trie with the constraints of the point, and runs the program only where
 * the trie has no answer yet.  During such a run the program's questions come back here through search_door.
 *
 *      search.c           walks the execution before a failure, fails at each point, counts results
 *      search_program.c   runs the program: the door, recording, joining
 *      search_schedule.c  which schedules are tried in a walk      search_unit.c  parts of a bounded search
 *      traces.c           --schedule=all before any failure instead of the walk at level 0
 *
 * Level = number of failures before an execution: level 0 is the execution before any failure, its stores are domain 0
 * of memory/, and so on.  There is one search, `search`, in host memory; the session fills in its settings and
 * functions. */
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
#include "search/again.h"
#include "search/history.h"
#include "search/merge.h"
#include "search/record.h"
#include "search/scout.h"
#include "search/unit.h"
#include "search/walk.h"

/* How far the walk along an execution has come. */
struct search_progress {
  uint32_t failure_points; /* seen so far */
  uint32_t points;         /* level 0: failure points up to its next observation */
  bool keeps_address;      /* it has stored an address of its volatile memory into watched memory */
};

#define SEARCH_RECOVERIES 3 /* kinds of executions after a failure, see search.recovery */

/* What goes back with the walk, besides what the walk puts back itself. */
struct search_mark {
  size_t steps;        /* of history.steps */
  size_t trace, loads; /* of history.trace and .loads */
  size_t validations;  /* of history.validations */
  struct analyses_mark analyses;
  struct search_progress progress;
  struct sleep_mark sleep;
  struct strategy_state picks;
  struct dpor_mark turns; /* of traces.last */
};

struct search {
  int failures_max;
  bool share;       /* false: run the program for every execution (--no-share) */
  bool recall;      /* walks are memoised (recall.h), and runs in the same state joined (merge.h) */
  bool count_eager; /* also count the states an eager checker would explore */
  struct strategy strategy;
  uint64_t runs; /* how many schedules are sampled */
  struct history history;
  struct memory memory;
  struct memo_node *initial; /* trie of executions before any failure */
  /* Tries of executions after a failure, by kind (schedules do not follow traces; they do; they do, in a look ahead, in
   * which nobody compares states and nodes do not say where executions can be joined), and by generation of their
   * volatile memory; NULL: there was none yet. */
  struct memo_node *recovery[SEARCH_RECOVERIES][LAYOUT_GENERATIONS];
  int generation; /* of volatile memory, in the execution under way (process/generation.h) */
  struct walk walk;
  struct merge merge;
  bool merges; /* in the walk under way runs may be joined */
  /* How often lines were stored to, and written back, is part of their states. */
  bool counts;
  bool peeked;           /* a run has looked at bytes without a load (door.peeked) */
  uint64_t walks;        /* that were begun */
  struct intern besides; /* what analyses know where a walk is memoised, as numbers */
  struct scout scout;
  struct again again;
  bool stateless; /* the first execution after a failure was run without comparing states */
  bool
      refuses; /* a tally was not taken, because executions with this result have to be described */
  uint32_t refused;
  /* Bytes for the tries; if they need more they are dropped at the next failure point. */
  size_t memory_max;
  size_t bytes_before; /* bytes in use when the tries were empty */
  /* The branch that is about to be made is a turn of a trace (search/traces.h). */
  bool takes_turn;
  struct search_progress progress; /* of the execution that is walked */
  VEC(struct search_mark) marks;
  struct analyses *analyses; /* NULL: none are wanted */
  struct bigint more;        /* executions counted without being walked; not among: */
  uint64_t executions, program_runs, failure_points;
  uint64_t schedules;  /* of the program before any failure */
  struct curve growth; /* executions, by failure points of the fixed schedule */

  /* Where the walk is. */
  uint64_t run; /* sampled schedules: its number */
  struct sleep sleep;
  struct strategy_state picks;
  uint32_t runs_after_failure; /* of the program */
  volatile uint32_t *observed; /* counts observations that no earlier run made, if not NULL */
  bool cut_short;              /* the run has ended while other threads could have gone on */
  /* The search has relied on something that does not hold: start again. */
  bool restart;
  struct sharing sharing; /* in two realms: before any failure, and after one */
  uint32_t longest;       /* sampled schedules: choices in the longest so far */
  /* The schedule under way lies before the range: its failures are skipped. */
  bool skims;
  bool schedules_later;         /* the next one, after the first sampled schedule: */
  bool schedules_after_failure; /* executions after a failure have schedules to choose from */

  /* Provided by the session. */
  uint32_t (*execute)(int level);    /* run the program; a number for its result */
  void (*started)(void);             /* the search begins, perhaps again */
  void (*finished)(uint32_t result); /* an execution is covered */
  /* Was no execution with such a result counted or glimpsed so far? */
  bool (*is_news)(uint32_t result);
  void (*glimpsed)(uint32_t result); /* the execution under way has it; it will be counted later */
  bool (*ending)(void);              /* shall the search end at its next position? */
  /* Does somebody wait for the search to come to a new position? */
  bool (*interrupted)(void);
  /* So many executions have this result and were not walked.  `known` must be asked before: was one with this result
   * counted by itself, so that there is one to describe? */
  void (*repeated)(uint32_t result, const struct bigint *times);
  bool (*known)(uint32_t result);
  bool (*stopped)(struct search *s); /* a budget is used up or the user said stop */
  void (*eager)(struct search *s);   /* at each failure point, if count_eager */
  /* The range of the choices is done: is there another?  NULL: search all. */
  bool (*next_range)(void);
  /* Traces, and bounded schedules, in units (session/units.h); NULL: all of them. */
  bool (*next_unit)(struct unit *u);
  /* An execution was run, which this hash names, and failures in it are about to be explored. */
  void (*unit_covers)(uint64_t execution);
  bool (*unit_is_left)(void); /* the rest of the unit was given away meanwhile */
  bool (*unit_goes_on)(void);
  void (*unit_ends)(enum unit_end how);
  void (*reload_unit)(void);

  /* The program run under way. */
  int level;
  struct memo_node *resume; /* it begins at the state that this node holds; NULL: at the start */
  struct record record;
  bool unchained;               /* the next load gets a node of its own, not a place in a chain */
  uint64_t left;                /* steps when it left the known path */
  uint64_t path_hash;           /* of the observations so far */
  struct memo_node *checksum;   /* node at which the validation under way began, or NULL */
  unsigned long checksum_turns; /* turns of all threads by then */
  struct sum sum;               /* of the run, beyond what is known */
  uint32_t events_mark;         /* events before this one belong to earlier nodes */
  uint32_t points;              /* failure points so far */
  bool recording;               /* its events are recorded once it has left the known path */
  struct sleep run_sleep;
  struct strategy_state run_picks;
};

extern struct search search;
extern const struct unit_form search_form; /* bounded schedules */

/* Bytes in use for what the search keeps about executions after a failure. */
size_t search_remembered_bytes(void);

void search_run(void);

/* The load with that number (history_load) in the execution under way. */
struct analysis_load search_load(uint32_t number);

/* For measurements: the execution before any failure so many times, and nothing after it. */
void search_repeat(int64_t times);

extern const struct door search_door; /* for program runs on behalf of this search */

/* For the session, which runs the program.  Shall the run begin at a state (search.resume) instead of the start?  Is
 * that a state that was compared, and not a mere checkpoint (search/merge.h)?  Begin there. */
bool search_resumes(void);
bool search_resumes_at_state(void);
void search_resume(void);
/* The run has paused.  True: to have a load answered or its state taken, which was done, and it can go on.  False: it
 * is over, and *why says why if another execution was in the same state. */
bool search_answers(struct stop *why);

/* Has the run that just ended stopped before the end of the path that it should have repeated? */
bool search_replay_cut_short(void);

#endif
