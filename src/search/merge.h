/* State merging: executions after a failure that have come to the same state go on as one.
 *
 * How an execution goes on is a function of its own state (its world, what it has stored, what it has said) and of what
 * it reads from now on.  Where a load can read several stores, in a run that is part of a large walk, the run hands the
 * load to the host, which takes the state.  Everything that was read so far is forgotten at that point: later loads of
 * it are observations again, so that two runs which read different values can still be in the same state.  If an
 * earlier run was in that state, the trie of observations is linked to the node where it was (memo_join) and the run
 * ends.  The trie becomes a directed graph; it has no cycles, because the number of steps grows along every path from
 * state to state.
 *
 *      ... load x --0--> merge --\
 *                 \--1--> merge ----> load y --> ...       the node of load y holds the state
 *
 * States are interned and compared byte by byte, not only hashed: a wrong join would be a wrong verdict.  A state is
 * also a checkpoint: the next run that passes there begins there instead of at the start of the program.
 *
 * Used by search_program.c (pm) and survivors_program.c (cxl), each with a struct merge of its own.  Host memory. */
#ifndef SEARCH_MERGE_H
#define SEARCH_MERGE_H

#include "access/outcome.h"
#include "access/space_tree.h"
#include "base/intern.h"
#include "base/str.h"
#include "explore/memo.h"
#include "search/landmark.h"

struct line;
struct record;
struct str;
struct walk;
struct world_snapshot;

#define MERGE_CHECKPOINTS 256

/* The state of an execution that waits for the answer to a load.  Owned by the node of that load. */
struct search_state {
  struct world_snapshot *world;
  uint32_t access, said; /* what accesses have done, and what was said: numbers in merge.bytes, */
  /* Or, if access is 0, the bytes themselves, with everything that was read. */
  struct str read;
  /* Of the state; 0: only a checkpoint, which was not compared with others. */
  uint32_t number;
  uint32_t slot;  /* 1 + its place in merge.checkpoint; 0: none */
  uint64_t steps; /* of the execution that was first here */
  uint64_t walk;  /* in which it was taken (merge.walk) */
};

/* Where a run takes mere checkpoints, while it repeats a known path. */
enum merge_checkpoints {
  MERGE_NONE,
  MERGE_ON_THE_WAY,       /* every now and then */
  MERGE_WHERE_KNOWN_ENDS, /* near the end of the known path: other runs will leave it nearby, too */
};

struct merge {
  bool allowed; /* in this search */
  /* What else the search keeps of a run, as bytes; and back to that.  Or NULL. */
  void (*put)(struct str *out);
  void (*set)(const char *bytes, size_t n);
  /* Saves the world and appends it as comparable bytes; NULL: world_save_state does. */
  struct world_snapshot *(*save)(struct str *out);
  bool seeks;      /* states are also taken at landmarks */
  bool everywhere; /* for tests: each load is a landmark, and worth a checkpoint */
  bool forgot;     /* some run has forgotten what it had read */
  uint64_t walk;   /* number of the walk under way, for whoever tells them apart */
  struct intern bytes, states;
  struct space_tree stored;      /* pm: what accesses have done, as hash-consed trees */
  VEC(struct memo_node *) nodes; /* by number of state: where it was */
  uint64_t joined, kept;
  uint64_t longest; /* steps of a run */
  /* Moving averages: steps along the known path, and all steps of a run. */
  uint64_t repeated, steps_usual;
  struct memo_node *checkpoint[MERGE_CHECKPOINTS]; /* the newest ones; NULL: dropped */
  uint32_t checkpoint_count;                       /* ever */
  size_t checkpoint_bytes;                         /* bytes in search_state.read that they hold */

  /* The run under way. */
  bool on;                  /* states are taken in it, and compared */
  struct outcome_mark said; /* before it */
  enum merge_checkpoints checkpoints;
  bool asked; /* a load waits for the host: */
  struct {
    struct line *line;
    uintptr_t address, code;
    int size;
    const struct abi_site *site;
    bool ignored, summed;
    bool again; /* it lies on the known path: only a checkpoint is taken */
  } load;
  uint64_t newest; /* steps at the newest state or checkpoint */
  uint64_t steps;  /* steps at the newest compared state on its way */
  uintptr_t doubt; /* address of the load that waits if it has several answers, otherwise 0 */
  struct landmarks landmarks;
};

/* On a fiber: leave this load to the host, which takes the state and then answers the load (access_answer_load).  Does
 * not return. */
_Noreturn void merge_read(struct merge *m, struct line *l, uintptr_t address, int size,
                          const struct abi_site *site, bool again);

/* A run begins, after so many steps, and will leave the known path at `from`.  on: states are taken in it, and
 * compared. */
void merge_run_begins(struct merge *m, const struct memo_node *from, bool on,
                      enum merge_checkpoints checkpoints, uint64_t steps);
bool merge_runs_are_long(const struct merge *m); /* otherwise no checkpoint is worth it */
/* Do runs spend much of their time on known paths? */
bool merge_runs_repeat(const struct merge *m);

/* The run has ended; it left the known path after `left` steps (0: it did not). */
void merge_run_ends(struct merge *m, uint64_t left, uint64_t steps);

/* The load is not recorded yet: shall the state be taken and compared here? */
bool merge_wants(struct merge *m, struct walk *w, struct line *l, uintptr_t address, int size);

/* While the run repeats a known path.  is_next: did the execution that recorded it forget here what it had read?
 * leave_for_checkpoint: if it is time for a checkpoint, leave the load to the host (merge_read), which then calls
 * merge_checkpoint: the state is kept with everything that was read, and not compared. */
bool merge_is_next(const struct record *r);
void merge_leave_for_checkpoint(struct merge *m, const struct record *r, struct line *l,
                                uintptr_t address, int size, const struct abi_site *site);
void merge_checkpoint(struct merge *m, struct memo_node *n, bool counts);

/* On the host, while the load waits: forget what was read, and take the state.  Returns the node that holds the same
 * one, or NULL.  s->world NULL: the state cannot be taken.  Otherwise the caller keeps it with a node, or drops it.
 * place: states of different places are different.  counts: see access_put_state. */
struct memo_node *merge_find(struct merge *m, uint32_t place, bool counts, struct search_state *s);
void merge_keep(struct merge *m, struct memo_node *n, const struct search_state *s);
void merge_drop(struct search_state *s);

/* Back to the state: everything but the world's generation. */
void merge_restore(struct merge *m, const struct search_state *s);

/* The node is given back, with its state. */
void merge_forget(struct merge *m, struct memo_node *n);
void merge_clear(struct merge *m); /* all nodes were */

#endif
