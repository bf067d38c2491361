/* Recording a program run in the trie of observations (explore/memo.h).
 *
 * A run first repeats a known path, where every observation must be the one that was recorded (otherwise the program is
 * not deterministic), and then adds what it observes:
 *
 *      path     the known observations and their answers, from the root or from where the run begins
 *      at       beyond the path: the node of the next observation, which nobody has executed.  Loads with one answer
 *               wait in `chain` until there is something else, or enough of them for a node
 *
 * Used by search_program.c (pm) and survivors_program.c (cxl).  Host memory. */
#ifndef SEARCH_RECORD_H
#define SEARCH_RECORD_H

#include "explore/memo.h"

struct record {
  memo_path path;
  size_t cursor;               /* how many of the path's observations were repeated */
  uint32_t chain_cursor;       /* if the next one is a chain: how many of its loads were */
  struct memo_node *at;        /* NULL: nothing more is to be recorded */
  VEC(struct memo_load) chain; /* newest loads with one answer */
  VEC(const struct memo_chain *) chains_before; /* those before them, of the same node */
  uint32_t events_begin, events_end;            /* events before the first of these loads */
  struct memo_chains chains;                    /* all chains, each kept once (hash-consing) */
};

/* A run to the node `from` and beyond.  It can begin at the newest node on the way of which `begins` (may be NULL) says
 * so, which is the result; NULL: it begins at the root. */
struct memo_node *record_begin(struct record *r, struct memo_node *from,
                               bool (*begins)(const struct memo_node *n));

static inline bool record_is_known(const struct record *r) {
  return r->cursor < r->path.length;
}

/* pre: record_is_known.  The next observation along the path; the load that it is, in a chain or not; step: go past it,
 * and return its answer. */
const struct memo_node *record_node(const struct record *r);
const struct memo_load *record_load(const struct record *r); /* NULL: no load */
uint64_t record_step(struct record *r);

/* Beyond the path: the node of the next observation. */
struct memo_node *record_here(struct record *r);

/* Beyond the path: the next observation is a load with one answer, x->value, after these events. */
void record_certain(struct record *r, const struct memo_load *x, uint32_t events_begin,
                    uint32_t events_end);

#endif
