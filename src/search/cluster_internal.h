/* What cluster*.c and survivors*.c share.  cluster.c takes decisions and goes back, cluster_program.c is the side of
 * the running program, cluster_ahead.c looks ahead, cluster_analyses.c feeds the analyses. */
#ifndef SEARCH_CLUSTER_INTERNAL_H
#define SEARCH_CLUSTER_INTERNAL_H

#include "access/outcome.h"
#include "explore/sleep.h"
#include "explore/strategy.h"
#include "process/world.h"
#include "search/cluster.h"
#include "search/fate.h"
#include "search/walk.h"

/* What goes back with the execution besides the world and the trails. */
struct state {
  struct cxl_state model;
  uint32_t points; /* decisions about failures so far */
  uint64_t steps;
  uint64_t where; /* a hash of all decisions */
  struct strategy_state picks;
};

/* A decision, with everything needed to come back to it. */
struct checkpoint {
  struct world_snapshot *world; /* NULL: there is no other alternative to try */
  struct state state;
  struct cxl_mark mark;
  struct outcome_mark outcome;
  struct analyses_mark analyses;
  size_t events, candidates, reads, failures, verdicts, steps; /* lengths of the history's lists */
  bool alone; /* survivors of this failure are not shared */
  bool begun; /* nothing of it belongs to an earlier range */
  enum choice_kind kind;
  struct operation *options; /* CHOICE_SCHEDULE: what can happen next, `count` of them */
  uint32_t count;
  struct sleep_mark sleep;
  struct history_failure failure;
  uint32_t place; /* of the survivors (survivors_place); 0: it was not asked for */
  uint32_t stand; /* of all that goes on (standstill_decide); 0: it was not asked for */
  struct fate fate;
};

/* pct has to know how long schedules are.  The longest of the first so many, run without failures, is taken for the
 * length of all, so that a schedule is a function of its number and of these. */
#define CLUSTER_TRIALS 16

/* The execution under way. */
struct cluster_now {
  uint32_t points; /* see struct state */
  VEC(struct checkpoint) checkpoints;
  VEC(uint32_t) verdicts;           /* of machines that ended in this execution */
  struct stop last_stop;            /* how it ended; STOP_KNOWN: it was given up */
  struct checkpoint begin;          /* before the first instruction */
  uint32_t lengths[CLUSTER_TRIALS]; /* pct: choices of the first schedules without failures, or 0 */
  bool measures; /* it is run only to find such a length, and nothing interrupts it */
  bool unseen;   /* nobody is told how it ends */
  /* It takes the first alternative of every decision: nothing fails and every load reads the newest store. */
  bool undisturbed;
  /* The decision a fiber is waiting for. */
  bool asked;
  /* The execution was left at a failure after which the survivors are walked instead of run. */
  bool aside;
  bool child; /* --isolate: this process is the one of an alternative */
  bool child_done;
  enum choice_kind kind;
  uint32_t count, first, answer;
  const struct operation *options; /* CHOICE_SCHEDULE; on the fiber's side */
  uint64_t where;                  /* see struct state */
  struct strategy_state picks;
  struct sleep sleep;
  const struct line *line;        /* CHOICE_READ: of the load */
  struct history_failure failure; /* CHOICE_MACHINE: the failure, if it is one */
};

extern struct cluster_now now;
/* Of survivors; it also lists the answers to loads before the last failure. */
extern struct walk cluster_walk;

/* The machine is gone: note the failure, put what it had not written back in doubt. */
void cluster_lose(const struct history_failure *f);

/* Are sleep sets used, so that of orders which nobody can tell apart one is tried? */
bool cluster_sleeps(void);

/* The state as it is now; and back to it. */
struct state cluster_state(void);
void cluster_set_state(const struct state *s);

/* Back to a checkpoint, except for the program's world. */
void cluster_restore(const struct checkpoint *c);

/* Is there nothing more to do? */
bool cluster_over(void);

/* The following do nothing without analyses.  A load reads what is certain (taken NULL) or takes an answer. */
void cluster_note_load(const struct line *l, uintptr_t address, int size,
                       const struct abi_site *site, const struct candidate *taken);
/* The answers to a load, in cluster_walk.raw, before one is taken.  choice: the one between them; NULL: their values
 * are the same, and there is none. */
void cluster_note_answers(const struct line *l, const struct history_read *r,
                          struct choice *choice);
void cluster_watch(void); /* if walks of survivors are to recall what analyses found */
/* A load by one machine writes back what others have stored to the line, up to that position (door.fetched). */
void cluster_note_fetch(const struct line *l, uint32_t position, const struct abi_site *site);
struct analyses_mark cluster_analyses_mark(void);
void cluster_analyses_undo(const struct analyses_mark *m, size_t events);
/* The same for loads of the survivors, which are shared between executions. */
void cluster_note_shared_load(const struct memo_load *n, const struct candidate *taken);
/* Do they learn nothing from these loads, which have one answer each? */
bool cluster_may_skim(const struct memo_chain *part);
void cluster_note_shared_answers(const struct memo_load *n, struct choice *choice);

void cluster_walk_begins(void); /* of survivors of the last failure, which has happened */
void cluster_walk_ends(void);

/* Analyses do not look at what a checksum validation reads. */
void cluster_checksum_begin(void);
void cluster_checksum_end(bool valid);

/* Explore everything that can happen in the schedules of one run; _all: with looks ahead in between.  False: it was
 * continued in other processes. */
bool cluster_explore(uint64_t run);
bool cluster_explore_all(uint64_t run);
void cluster_look_at_schedules(void); /* before any of them is explored */

/* pct: how long this schedule probably is; an execution of it has ended; and measure the ones before it, which somebody
 * else explores.  pre: nothing is open. */
uint32_t cluster_length(uint64_t run);
void cluster_note_length(uint64_t run);
void cluster_measure_before(uint64_t run);

/* Looks ahead (scout.h).  Everything but a first failure that takes another alternative than the first is a deviation:
 * a further failure, or a load that reads something older than the newest store. */
void cluster_begin_scout(void);
void cluster_check_scout(void);  /* give the look ahead up if it takes too long */
void cluster_check_ending(void); /* give the execution up if the search shall end */
/* Does the look ahead under way allow another alternative at such a decision, with so many decisions before it? */
bool cluster_may_deviate(enum choice_kind kind, size_t before);
uint32_t cluster_deviations(void); /* of the execution so far */
/* The execution has ended.  True: it was only looked at, and does not count. */
bool cluster_glimpse(void);

/* Run until the execution is over.  False: it was continued in other processes (--isolate). */
bool cluster_run_to_end(void);

#endif
