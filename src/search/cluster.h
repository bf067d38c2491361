/* The search of the cxl model: machines that share memory, fail one by one, while the others go on.
 *
 * A depth-first search with checkpoints.  An execution is cut into segments at its decisions: does a machine fail here,
 * which store does a load read.  At a decision the running fiber hands over to the host (cluster_run), which saves
 * everything (the program's world, lines, cache view), goes on with the first alternative, and later restores the
 * checkpoint for the next one; no prefix is executed twice.
 *
 *      segment --fails here?--no--> segment --which store?--newest--> segment ... end
 *                    |                           \--older--> ...
 *                    yes --> what the survivors do
 *
 * With --schedule other than fixed, whose turn it is is one more kind of decision (access/schedule.h).  What the
 * machines do after the last failure is shared between executions (survivors.h), and what comes of a decision is
 * remembered (fate.h).  What failed machines have left in doubt, and how it is undone, is in access/cxl.h.
 *
 * The session fills in the functions below and calls cluster_run; there is one search, `cluster`, in host memory. */
#ifndef SEARCH_CLUSTER_H
#define SEARCH_CLUSTER_H

#include "access/cxl.h"
#include "analysis/analysis.h"
#include "base/bigint.h"
#include "door/door.h"
#include "explore/strategy.h"
#include "process/stop.h"
#include "search/history.h"
#include "search/scout.h"

struct cluster {
  /* Settings. */
  bool share;            /* survivors that read the same are run once (survivors.h) */
  bool isolate;          /* every alternative in a process of its own */
  bool recall;           /* walks of survivors are memoised (recall.h), */
  uint64_t recall_after; /* from so many ends of a walk on */
  bool merge;            /* survivors in the same state are joined (merge.h), */
  /* Or only once the flush analysis has nothing more to say (flush_by_several). */
  bool merge_by_several;
  size_t memory_max; /* bytes that may be kept about survivors; above that all of it is forgotten */
  struct analyses *analyses; /* NULL: none */
  struct strategy strategy;
  uint64_t runs; /* of sampled schedules */

  /* Progress. */
  uint64_t run; /* the sampled schedule under way */
  struct history history;
  struct bigint more; /* executions that were counted without being walked; not among: */
  uint64_t executions, program_runs, failure_points, schedules;
  /* Failure points of the execution without failures, and at how many of them the failure was taken so far. */
  uint64_t first_points, points_begun;
  /* Sampled schedules are run without failures first: no part can be given away yet. */
  bool looks_at_schedules;
  uint64_t undisturbed; /* sampled schedules that were run so */
  struct scout scout;

  /* Provided by the session. */
  void (*start)(void); /* everything as before the first instruction */
  /* A number for how a machine ended; last: and with it the execution. */
  uint32_t (*verdict)(const struct stop *why, bool last);
  void (*finished)(const uint32_t *verdicts, size_t count); /* an execution is covered */
  /* So many executions ended with these verdicts and were not walked.  `known` must be asked before: was each of these
   * verdicts counted in an execution of its own, so that there is one to describe? */
  void (*repeated)(const uint32_t *verdicts, size_t count, const struct bigint *times);
  bool (*known)(const uint32_t *verdicts, size_t count);
  /* A look ahead has seen an execution with these verdicts; the search will count it later. */
  void (*glimpsed)(const uint32_t *verdicts, size_t count);
  bool (*interrupted)(void); /* shall a look ahead end? */
  bool (*ending)(void);      /* shall the search end, in the middle of an execution? */
  bool (*stopped)(void);     /* a budget is used up, or the user said stop */
  bool (*resume)(void); /* the program goes on from here; false: that killed an earlier process */
  /* The range of the choices is done: is there another?  NULL: everything is searched. */
  bool (*next_range)(void);
  void (*died)(int status); /* --isolate: a process that ran the program died.  Does not return */
};

extern struct cluster cluster;
void cluster_open_door(void); /* for program runs on behalf of this search */

/* Explore everything.  Host side. */
void cluster_run(void);

/* The step before which the machine failed; TRACE_NONE: it lives. */
uint32_t cluster_failed_at(int machine);

/* What walks of survivors remember; and the number that a finding of analyses has in the tallies there. */
struct recall *cluster_recall(void);
uint32_t cluster_report_result(uint32_t verdict);

void cluster_share(void); /* register what a run changes, for --isolate */

#endif
