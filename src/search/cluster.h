/* The search of the cxl model: machines that share memory, fail one by one, and go on.
 *
 * There is one execution, cut into segments at its decisions: does a machine fail here, which store
 * does a load read.  At a decision the running fiber hands over to the host (cluster_run), which
 * takes a checkpoint of everything (the program's world, lines, cache view) and later comes back to
 * it with the next alternative.  With --schedule other than fixed whose turn it is is one more kind
 * of decision (access/schedule.h).  What survivors do after the last failure is shared (survivors.h).
 *
 * What machines that have failed left in doubt, and how it is undone, is in access/cxl.h. */
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
  bool share;                /* survivors that read the same are run once */
  bool isolate;              /* every alternative in a process of its own */
  bool recall;               /* what came of survivors that know the same is not walked again, */
  uint64_t recall_after;     /* in walks with so many ends, */
  bool merge;                /* and survivors that have become the same go on as one */
  size_t memory_max;         /* bytes that may be kept about survivors; more is forgotten */
  struct analyses *analyses; /* NULL: none */
  struct strategy strategy;
  uint64_t runs; /* of sampled schedules */
  uint64_t run;  /* the one under way */
  struct history history;
  struct bigint more; /* executions that were not walked; not among: */
  uint64_t executions, program_runs, failure_points, schedules;
  bool looks_at_schedules; /* before the search: whoever wants a part of it waits */
  uint64_t undisturbed;    /* sampled schedules that were looked at without failures */
  struct scout scout;

  /* Provided by the session. */
  void (*start)(void); /* everything as before the first instruction */
  uint32_t (*verdict)(const struct stop *why, bool last); /* a number for how a machine ended;
                                                             last: and with it the execution */
  void (*finished)(const uint32_t *verdicts, size_t count);
  /* So many executions ended like that, which were not walked; and can that be said: was each of these
   * verdicts counted before? */
  void (*repeated)(const uint32_t *verdicts, size_t count, const struct bigint *times);
  bool (*known)(const uint32_t *verdicts, size_t count);
  void (*glimpsed)(const uint32_t *verdicts,
                   size_t count); /* there is one like that; it will be counted later */
  bool (*interrupted)(void);      /* shall a look ahead end? */
  bool (*stopped)(void);
  bool (*resume)(void); /* the program goes on from here; false: that killed an earlier process */
  bool (*next_range)(
      void); /* the range of the choices is done: is there another?  NULL: search all */
  void (*died)(int status); /* --isolate: a process that ran the program; does not return */
};

extern struct cluster cluster;
void cluster_open_door(void); /* for program runs on behalf of this search */

/* Explore everything.  Host side. */
void cluster_run(void);

/* The step before which the machine failed; TRACE_NONE: it lives. */
uint32_t cluster_failed_at(int machine);

/* What walks of survivors remember; and a finding of analyses as a result there. */
struct recall *cluster_recall(void);
uint32_t cluster_report_result(uint32_t verdict);

void cluster_share(void); /* register what a run changes, for --isolate */

#endif
