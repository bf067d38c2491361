/* The searches' side of a program run: along which known observations it goes, and where those that
 * are new are put down.
 *
 *      path     answers that are known, from the root or from where the run begins; up to its end
 *               observations must be those of the path
 *      at       then: where the next observation goes, a node that nobody has executed.  Loads with
 *               one answer wait in chains until there is something else, or enough of them
 *
 * Host memory. */
#ifndef SEARCH_RECORD_H
#define SEARCH_RECORD_H

#include "explore/memo.h"

struct record {
  memo_path path;
  size_t cursor;
  uint32_t chain_cursor; /* if that is a chain: in it */
  struct memo_node *at;  /* NULL: nothing more is wanted */
  VEC(struct memo_load) chain;
  VEC(const struct memo_chain *) chains_before; /* of the same node */
  uint32_t events_begin, events_end;            /* before its first load */
  struct memo_chains chains;
};

/* A run to `from` and beyond; it begins at the newest node on the way of which `begins`, unless it is
 * NULL, says so: that is the result.  NULL: at the root. */
struct memo_node *record_begin(struct record *r, struct memo_node *from,
                               bool (*begins)(const struct memo_node *n));

static inline bool record_is_known(const struct record *r) {
  return r->cursor < r->path.length;
}

/* The next observation along the path; a load, of a chain or not; and its answer.  pre: known. */
const struct memo_node *record_node(const struct record *r);
const struct memo_load *record_load(const struct record *r); /* NULL: no load */
uint64_t record_step(struct record *r);

/* Beyond it: the node of the next observation. */
struct memo_node *record_here(struct record *r);

/* ... which is a load with one answer, x->value, after these events. */
void record_certain(struct record *r, const struct memo_load *x, uint32_t events_begin,
                    uint32_t events_end);

#endif
