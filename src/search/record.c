#include "search/record.h"
#include "base/check.h"
#include "base/hash.h"

/* Where a chain ends is decided by a hash of what was added last (content-defined chunking): then equal loads make
 * equal chains, whatever came before them.  On average after LOADS_USUAL loads, or CHAINS_USUAL chains. */
#define LOADS_MAX 128
#define LOADS_USUAL 32
#define CHAINS_MAX 64
#define CHAINS_USUAL 16

struct memo_node *record_begin(struct record *r, struct memo_node *from,
                               bool (*begins)(const struct memo_node *n)) {
  struct memo_node *begin = memo_path_to(from, begins, &r->path);
  r->cursor = begin != NULL; /* its answer is given right away */
  r->chain_cursor = 0;
  r->chain.length = r->chains_before.length = 0;
  r->at = from;
  return begin;
}

const struct memo_node *record_node(const struct record *r) {
  CHECK(r->cursor < r->path.length, "observation %zu of %zu", r->cursor, r->path.length);
  return r->path.data[r->cursor].node;
}

const struct memo_load *record_load(const struct record *r) {
  const struct memo_node *n = record_node(r);
  if (n->kind == MEMO_CHAIN)
    return memo_chain_load(n->chain, n->begin + r->chain_cursor);
  return n->kind == MEMO_LOAD ? &n->load : NULL;
}

uint64_t record_step(struct record *r) {
  const struct memo_step *step = &r->path.data[r->cursor];
  const struct memo_node *n = step->node;
  if (n->kind != MEMO_CHAIN) {
    r->cursor++;
    return step->value;
  }
  uint64_t value = memo_chain_load(n->chain, n->begin + r->chain_cursor)->value;
  if (n->begin + ++r->chain_cursor == n->end) {
    r->chain_cursor = 0;
    r->cursor++;
  }
  return value;
}

static const struct memo_chain *end_chain(struct record *r) {
  const struct memo_chain *c = memo_chain_of_loads(&r->chains, r->chain.data, r->chain.length);
  vec_push(&r->chains_before, c);
  r->chain.length = 0;
  return c;
}

struct memo_node *record_here(struct record *r) {
  if (r->chain.length)
    end_chain(r);
  struct memo_node *n = r->at;
  CHECK(n && n->kind == MEMO_UNEXECUTED, "this was observed before");
  if (!r->chains_before.length)
    return n;
  n->kind = MEMO_CHAIN;
  n->chain = memo_chain_of_chains(&r->chains, r->chains_before.data, r->chains_before.length);
  n->begin = 0;
  n->end = n->chain->length;
  n->events_begin = r->events_begin;
  n->events_end = r->events_end;
  r->chains_before.length = 0;
  r->at = memo_follow(n, 0);
  return r->at;
}

void record_certain(struct record *r, const struct memo_load *x, uint32_t events_begin,
                    uint32_t events_end) {
  if (events_begin != events_end)
    record_here(r); /* there are events before the first load only */
  if (!r->chain.length && !r->chains_before.length) {
    r->events_begin = events_begin;
    r->events_end = events_end;
  }
  vec_push(&r->chain, *x);
  if (hash_u64(x->address, x->value) % LOADS_USUAL && r->chain.length < LOADS_MAX)
    return;
  const struct memo_chain *c = end_chain(r);
  if ((c->hash >> 16) % CHAINS_USUAL == 0 || r->chains_before.length == CHAINS_MAX)
    record_here(r);
}
