/* The search of the cxl model: machines that share memory, fail one by one, and go on.
 *
 * There is one execution, cut into segments at its decisions: does a machine fail here, which store
 * does a load read.  At a decision the running fiber hands over to the host (cluster_run), which
 * takes a checkpoint of everything (the program's world, lines, cache view) and later comes back to
 * it with the next alternative.  What survivors do after the last failure is shared (survivors.h).
 *
 * Everything that a fiber changes outside world memory goes through cluster_set or memory/'s
 * trail. */
#ifndef RUNTIME_CLUSTER_H
#define RUNTIME_CLUSTER_H

#include "runtime/history.h"
#include "runtime/space.h"
#include "runtime/stop.h"
#include "runtime/thread.h"

struct cluster_options {
  int machines, failures_max;
  bool gpf;             /* what is cached survives a failure */
  bool poison;          /* lines that lost something poison their readers */
  bool paper_coherence; /* --coherence=cxlmc */
  bool global_flush;    /* --flush=global */
  bool share;           /* survivors that read the same are run once */
  bool isolate;         /* every alternative in a process of its own */
};

struct cluster {
  struct cluster_options options;
  struct history history;
  struct memory memory;
  uint64_t executions, program_runs, failure_points;

  /* Provided by the session. */
  void (*start)(void); /* everything as before the first instruction */
  uint32_t (*verdict)(const struct stop *why, bool last); /* a number for how a machine ended;
                                                             last: and with it the execution */
  void (*finished)(const uint32_t *verdicts, size_t count);
  bool (*stopped)(void);
  bool (*resume)(void); /* the program goes on from here; false: that killed an earlier process */
  uint32_t (*died)(
      int status); /* --isolate: a number for how the process of an alternative ended */
};

extern struct cluster cluster;

/* Explore everything.  Host side. */
void cluster_run(void);

/* ---- on a fiber ---- */

/* An alternative out of `count`; the others are explored later. */
uint32_t cluster_choose(enum choice_kind kind, uint32_t count);

/* May this machine fail now, right before `what`?  Returns if it does not; if it does and the
 * running thread is its own, never.  `observed`: something would tell the difference from failing
 * later, even if the machine stored nothing since it was last asked. */
void cluster_may_fail(int machine, bool observed, const char *what, const struct abi_site *site);

/* The machine has done something another one may see. */
void cluster_acted(int machine);

/* A lock operation: it changes what others find, outside of memory. */
void cluster_synchronised(void);

bool cluster_failed(int machine);
int cluster_failures_left(void);

/* Which bytes a load reads, in doubt because of failures; refines the line. */
uint64_t cluster_read(struct space_line *l, uintptr_t address, int size,
                      const struct abi_site *site);

/* Was the newest store to the line lost with its machine?  Refines the line.  Then whoever reads it
 * is told: its machine's handler is called, or the execution has a finding. */
bool cluster_poisoned(struct space_line *l);
void cluster_tell_poison(uintptr_t address, const struct abi_site *site);

/* Has the last failure of the scenario happened?  From then on each byte is resolved when it is first
 * read (space_line.known). */
bool cluster_settled(void);

/* Change a variable outside world memory so that going back undoes it; at most 8 bytes. */
void cluster_set(void *variable, uint64_t value, int size);

/* Memory handed out by tidemark_alloc so far, per machine. */
size_t *cluster_allocated(int machine);

void cluster_on_poison(void (*handler)(void *));

void cluster_share(void); /* register what a run changes, for --isolate */

#endif
