/* What cluster.c and survivors.c share. */
#ifndef RUNTIME_CLUSTER_INTERNAL_H
#define RUNTIME_CLUSTER_INTERNAL_H

#include "runtime/cluster.h"
#include "runtime/world.h"

/* What goes back with the execution besides the world and the trails. */
struct state {
  uint16_t failed;       /* bit per machine */
  uint16_t quiet;        /* bit per machine: did nothing visible since it was last asked to fail */
  uint32_t points;       /* decisions about failures so far */
  uint32_t synchronised; /* lock operations so far */
  uint32_t path;         /* a number for the decisions that changed something */
  uint64_t steps;
  size_t allocated[MACHINES_MAX];
  void (*poison_handler[MACHINES_MAX])(void *);
};

struct undo {
  void *variable;
  uint64_t before;
  int size;
};

struct checkpoint {
  struct world_snapshot *world;
  struct state state;
  size_t memory, undo, events, candidates, reads, failures, verdicts, outcome;
  bool has_outcome;
  enum choice_kind kind;
  struct history_failure failure;
  uint32_t place; /* survivors_place; 0: not wanted */
};

struct cluster_now {
  struct state state;
  VEC(struct undo) undo;
  VEC(struct checkpoint) checkpoints;
  VEC(uint32_t) verdicts; /* of machines that ended in this execution */
  struct stop last_stop;  /* how it ended */
  /* The decision a fiber is waiting for. */
  bool asked;
  bool child; /* --isolate: this process is the one of an alternative */
  bool child_done;
  enum choice_kind kind;
  uint32_t count, answer;
  struct history_failure failure; /* CHOICE_MACHINE: the failure, if it is one */
};

extern struct cluster_now now;

/* The machine is gone: note the failure, put what it had not written back in doubt. */
void cluster_lose(const struct history_failure *f);

/* Back to a checkpoint, except for the program's world. */
void cluster_restore(const struct checkpoint *c);
void cluster_undo(size_t mark);

/* Run until the execution is over.  False: it was continued in other processes (--isolate). */
bool cluster_run_to_end(void);

#endif
