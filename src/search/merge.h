/* Executions after a failure that have become the same.
 *
 * How an execution goes on is a function of its own state (its world, what it has stored, what it
 * has said) and of what it reads from now on.  Where a load can read several stores, in a run that is
 * part of a large walk, the state is taken and everything that was read is forgotten: later loads of
 * it are observations again.  If an earlier execution was in the same state, the trie leads there
 * (memo_join), and the run ends: the trie becomes a graph, without cycles because along each way
 * from state to state the number of steps grows.
 *
 *      ... load x --0--> merge --\
 *                 \--1--> merge ----> load y --> ...       load y holds the state
 *
 * States are compared, not only hashed.  They are checkpoints, too: the next run from there begins
 * there.  Host memory. */
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

struct search_state {
  struct world_snapshot *world;
  uint32_t access, said; /* numbers of their bytes, */
  struct str read;       /* or (access 0) the bytes themselves */
  uint32_t number;       /* of the state; 0: a checkpoint, which was not compared */
  uint32_t slot;         /* 1 + its place among checkpoints; 0: none */
  uint64_t steps;        /* of the execution that was first here */
  uint64_t walk;         /* in which it was taken (merge.walk) */
};

/* Where a run takes checkpoints, along what is known. */
enum merge_checkpoints {
  MERGE_NONE,
  MERGE_ON_THE_WAY,       /* every now and then */
  MERGE_WHERE_KNOWN_ENDS, /* as it comes close to the end of that: others will end there, too */
};

struct merge {
  bool allowed; /* in this search */
  /* What else the search keeps of a run, as bytes; and back to that.  Or NULL. */
  void (*put)(struct str *out);
  void (*set)(const char *bytes, size_t n);
  /* The world as a state; NULL: world_save_state. */
  struct world_snapshot *(*save)(struct str *out);
  bool seeks;      /* states are also taken at landmarks */
  bool everywhere; /* for tests: each load is a landmark, and worth a checkpoint */
  bool forgot;     /* some run has forgotten what it had read */
  uint64_t walk;   /* the number of the walk, for whoever tells them apart */
  struct intern bytes, states;
  struct space_tree stored;      /* pm */
  VEC(struct memo_node *) nodes; /* by number of state */
  uint64_t joined, kept;
  uint64_t longest;               /* steps of a run */
  uint64_t repeated, steps_usual; /* of late: steps along what is known, and all of them */
  struct memo_node *checkpoint[MERGE_CHECKPOINTS]; /* the newest ones; NULL: dropped */
  uint32_t checkpoint_count;                       /* ever */
  size_t checkpoint_bytes;                         /* of what was read, that they hold */

  /* The run under way. */
  bool on;
  struct outcome_mark said; /* before it */
  enum merge_checkpoints checkpoints;
  bool asked; /* a load waits for the host */
  struct {
    struct line *line;
    uintptr_t address, code;
    int size;
    const struct abi_site *site;
    bool ignored;
    bool again; /* it was made before: only to have a checkpoint there */
  } load;
  uint64_t newest; /* steps at the newest state, compared or not */
  uint64_t steps;  /* at the newest state on its way */
  uintptr_t
      doubt; /* address of the load at which it may be compared, if that has several answers */
  struct landmarks landmarks;
};

/* On a fiber: leave this load to the host.  Does not return: the load does. */
_Noreturn void merge_read(struct merge *m, struct line *l, uintptr_t address, int size,
                          const struct abi_site *site, bool again);

/* A run begins, at so many steps, and will go beyond what is known at `from`; on: states are taken in it, and
 * compared. */
void merge_run_begins(struct merge *m, const struct memo_node *from, bool on,
                      enum merge_checkpoints checkpoints, uint64_t steps);
bool merge_runs_are_long(const struct merge *m); /* otherwise no checkpoint is worth it */
bool merge_runs_repeat(const struct merge *m);   /* much of what others have done */

/* It has ended, and went beyond what is known after so many steps (0: it did not). */
void merge_run_ends(struct merge *m, uint64_t left, uint64_t steps);

/* Is this load, which goes beyond what is known, a place where executions may have become the same? */
bool merge_wants(struct merge *m, struct walk *w, struct line *l, uintptr_t address, int size);

/* Along a path that was executed before: did the execution forget here what it had read?  Is it time for
 * a checkpoint?  Then the load is left to the host, on which the state is taken with everything that was
 * read, and not compared. */
bool merge_is_next(const struct record *r);
void merge_leave_for_checkpoint(struct merge *m, const struct record *r, struct line *l,
                                uintptr_t address, int size, const struct abi_site *site);
void merge_checkpoint(struct merge *m, struct memo_node *n, bool counts);

/* On the host, the load waits: forget what was read, and take the state.  The node that holds the same
 * one, or NULL.  s->world NULL: there is no way to take it.  Otherwise keep it with a node, or drop it.
 * States of different places are different.  counts: see access_put_state. */
struct memo_node *merge_find(struct merge *m, uint32_t place, bool counts, struct search_state *s);
void merge_keep(struct merge *m, struct memo_node *n, const struct search_state *s);
void merge_drop(struct search_state *s);

/* Back to the state: everything but the world's generation. */
void merge_restore(struct merge *m, const struct search_state *s);

void merge_forget(struct merge *m, struct memo_node *n); /* it is given back */
void merge_clear(struct merge *m);                       /* all were */

#endif
