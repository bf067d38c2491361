/* What cluster.c and survivors.c share. */
#ifndef SEARCH_CLUSTER_INTERNAL_H
#define SEARCH_CLUSTER_INTERNAL_H

#include "access/outcome.h"
#include "explore/sleep.h"
#include "explore/strategy.h"
#include "process/world.h"
#include "search/cluster.h"
#include "search/walk.h"

/* What goes back with the execution besides the world and the trails. */
struct state {
  struct cxl_state model;
  uint32_t points; /* decisions about failures so far */
  uint32_t path;   /* a number for the decisions that changed something */
  uint64_t steps;
  uint64_t where; /* a hash of all decisions */
  struct strategy_state picks;
};

struct checkpoint {
  struct world_snapshot *world;
  struct state state;
  struct cxl_mark mark;
  struct outcome_mark outcome;
  size_t events, candidates, reads, failures, verdicts, steps;
  enum choice_kind kind;
  struct operation *options; /* CHOICE_SCHEDULE: what can happen next, `count` of them */
  uint32_t count;
  struct sleep_mark sleep;
  struct history_failure failure;
  uint32_t place; /* survivors_place; 0: not wanted */
};

struct cluster_now {
  uint32_t points, path; /* see struct state */
  VEC(struct checkpoint) checkpoints;
  VEC(uint32_t) verdicts;  /* of machines that ended in this execution */
  struct stop last_stop;   /* how it ended; STOP_KNOWN: it was given up */
  struct checkpoint begin; /* before the first instruction */
  uint32_t longest;        /* choices of a schedule */
  /* The decision a fiber is waiting for. */
  bool asked;
  bool aside; /* the execution was left where a range begins with what its survivors do */
  bool child; /* --isolate: this process is the one of an alternative */
  bool child_done;
  enum choice_kind kind;
  uint32_t count, first, answer;
  const struct operation *options; /* CHOICE_SCHEDULE; on the fiber's side */
  uint64_t where;                  /* see struct state */
  struct strategy_state picks;
  struct sleep sleep;
  struct history_failure failure; /* CHOICE_MACHINE: the failure, if it is one */
};

extern struct cluster_now now;
extern struct walk cluster_walk; /* of survivors; and who answers loads */

/* The machine is gone: note the failure, put what it had not written back in doubt. */
void cluster_lose(const struct history_failure *f);

/* As it is now; and back to it. */
struct state cluster_state(void);
void cluster_set_state(const struct state *s);

/* Back to a checkpoint, except for the program's world. */
void cluster_restore(const struct checkpoint *c);

/* Is there nothing more to do? */
bool cluster_over(void);

/* Run until the execution is over.  False: it was continued in other processes (--isolate). */
bool cluster_run_to_end(void);

#endif
