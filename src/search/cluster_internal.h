/* What cluster.c and survivors.c share. */
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

struct checkpoint {
  struct world_snapshot *world;
  struct state state;
  struct cxl_mark mark;
  struct outcome_mark outcome;
  struct analyses_mark analyses;
  size_t events, candidates, reads, failures, verdicts, steps;
  bool alone; /* what follows is not shared */
  bool begun; /* nothing of it belongs to an earlier range */
  enum choice_kind kind;
  struct operation *options; /* CHOICE_SCHEDULE: what can happen next, `count` of them */
  uint32_t count;
  struct sleep_mark sleep;
  struct history_failure failure;
  uint32_t place; /* survivors_place; 0: not wanted */
  struct fate fate;
};

struct cluster_now {
  uint32_t points; /* see struct state */
  VEC(struct checkpoint) checkpoints;
  VEC(uint32_t) verdicts;  /* of machines that ended in this execution */
  struct stop last_stop;   /* how it ended; STOP_KNOWN: it was given up */
  struct checkpoint begin; /* before the first instruction */
  uint32_t longest;        /* choices of a schedule */
  bool unseen;             /* nobody is told how it ends */
  bool
      undisturbed; /* nothing goes wrong in the execution under way, and no other one comes of it */
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
  const struct line *line;        /* CHOICE_READ: of the load */
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

/* Tell the analyses, if there are any: a load that reads what is certain (NULL) or takes an answer;
 * the answers of one, before one of them is taken (choice, NULL: their values are the same); going back.  The same of loads that
 * survivors share. */
void cluster_note_load(const struct line *l, uintptr_t address, int size,
                       const struct abi_site *site, const struct candidate *taken);
void cluster_note_answers(const struct line *l, const struct history_read *r,
                          struct choice *choice);
void cluster_watch(void); /* if walks of survivors are to recall what analyses found */
void cluster_note_fetch(const struct line *l, uint32_t position, const struct abi_site *site);
struct analyses_mark cluster_analyses_mark(void);
void cluster_analyses_undo(const struct analyses_mark *m, size_t events);
void cluster_note_shared_load(const struct memo_load *n, const struct candidate *taken);
void cluster_note_shared_answers(const struct memo_load *n, struct choice *choice);

/* What a checksum validation reads is not looked at. */
void cluster_checksum_begin(void);
void cluster_checksum_end(bool valid);

/* Everything that can happen in the schedules of one run; the second: with looks ahead in between.  False: in
 * other processes. */
bool cluster_explore(uint64_t run);
bool cluster_explore_all(uint64_t run);
void cluster_look_at_schedules(void); /* before any of them is explored */

/* Looks ahead (scout.h).  May something else than usual come of a decision, with so many before it?  How much did so far;
 * the execution is over: true if it was only looked at. */
void cluster_begin_scout(void);
void cluster_check_scout(void);
bool cluster_may_deviate(enum choice_kind kind, size_t before);
uint32_t cluster_deviations(void);
bool cluster_glimpse(void);

/* Run until the execution is over.  False: it was continued in other processes (--isolate). */
bool cluster_run_to_end(void);

#endif
