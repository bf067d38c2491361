#include "search/record.h"
#include "base/hash.h"

/* A chain ends where the load that was added last says so: then equal loads make equal chains,
 * whatever came before them. */
#define CHAIN_MAX 128
#define CHAIN_USUAL 32

struct memo_node *record_begin(struct record *r, struct memo_node *from,
                               bool (*begins)(const struct memo_node *n)) {
  struct memo_node *begin = memo_path_to(from, begins, &r->path);
  r->cursor = begin != NULL; /* its answer is given right away */
  r->chain_cursor = 0;
  r->chain.length = 0;
  r->at = from;
  return begin;
}

const struct memo_node *record_node(const struct record *r) {
  return r->path.data[r->cursor].node;
}

const struct memo_load *record_load(const struct record *r) {
  const struct memo_node *n = record_node(r);
  if (n->kind == MEMO_CHAIN)
    return &n->chain->loads[n->begin + r->chain_cursor];
  return n->kind == MEMO_LOAD ? &n->load : NULL;
}

uint64_t record_step(struct record *r) {
  const struct memo_step *step = &r->path.data[r->cursor];
  const struct memo_node *n = step->node;
  if (n->kind != MEMO_CHAIN) {
    r->cursor++;
    return step->value;
  }
  uint64_t value = n->chain->loads[n->begin + r->chain_cursor].value;
  if (n->begin + ++r->chain_cursor == n->end) {
    r->chain_cursor = 0;
    r->cursor++;
  }
  return value;
}

struct memo_node *record_here(struct record *r) {
  struct memo_node *n = r->at;
  if (!r->chain.length)
    return n;
  memo_set_chain(&r->chains, n, r->chain.data, r->chain.length);
  n->events_begin = r->events_begin;
  n->events_end = r->events_end;
  r->chain.length = 0;
  r->at = memo_follow(n, 0);
  return r->at;
}

void record_certain(struct record *r, const struct memo_load *x, uint32_t events_begin,
                    uint32_t events_end) {
  if (events_begin != events_end)
    record_here(r); /* a chain has events before its first load only */
  if (!r->chain.length) {
    r->events_begin = events_begin;
    r->events_end = events_end;
  }
  vec_push(&r->chain, *x);
  if (hash_u64(x->address, x->value) % CHAIN_USUAL == 0 || r->chain.length == CHAIN_MAX)
    record_here(r);
}
