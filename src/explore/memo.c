#include "explore/memo.h"
#include "base/check.h"
#include "base/hash.h"
#include <string.h>

static size_t nodes;

size_t memo_count(void) {
  return nodes;
}

void memo_state(void **state, size_t *bytes) {
  *state = &nodes;
  *bytes = sizeof nodes;
}

struct memo_node *memo_create(void) {
  nodes++;
  return mem_alloc(sizeof(struct memo_node));
}

void memo_join(struct memo_node *n, uint64_t value, struct memo_node *to) {
  CHECK(to != n, "a node follows itself");
  struct memo_edge *e = mem_alloc(sizeof *e);
  *e = (struct memo_edge){.value = value, .to = to, .next = n->edges};
  n->edges = e;
}

struct memo_node *memo_known(const struct memo_node *n, uint64_t value) {
  for (const struct memo_edge *e = n->edges; e; e = e->next)
    if (e->value == value)
      return e->to;
  return NULL;
}

struct memo_node *memo_follow(struct memo_node *n, uint64_t value) {
  CHECK(n->kind != MEMO_UNEXECUTED && n->kind != MEMO_END, "an answer to no observation (%d)",
        n->kind);
  struct memo_node *to = memo_known(n, value);
  if (to)
    return to;
  to = memo_create();
  to->parent = n;
  to->parent_value = value;
  memo_join(n, value, to);
  return to;
}

/* Iterative: paths are as long as executions.  A node with several edges to it is freed through its parent. */
void memo_drop(struct memo_node *root, memo_gone *gone, void *context) {
  for (struct memo_node *n = root; n;) {
    struct memo_edge *e = n->edges;
    if (e) {
      n->edges = e->next;
      n = e->to->parent == n ? e->to : n;
      mem_free(e, sizeof *e);
      continue;
    }
    if (gone)
      gone(context, n);
    struct memo_node *parent = n == root ? NULL : n->parent;
    CHECK(nodes > 0 && (n == root || parent), "a node without one before it");
    CHECK(gone || (!n->state && !n->recalled), "what is known about a node is lost");
    if (n->kind == MEMO_SCHEDULE)
      mem_free(n->options, n->option_count * sizeof *n->options);
    if (n->kind == MEMO_END) {
      mem_free(n->also, n->also_count * sizeof *n->also);
      mem_free(n->waiting, n->waiting_count * sizeof *n->waiting);
    }
    mem_free(n, sizeof *n);
    nodes--;
    n = parent;
  }
}

/* What follows `from` will follow `to`. */
static void move_edges(struct memo_node *from, struct memo_node *to) {
  to->edges = from->edges;
  from->edges = NULL;
  for (struct memo_edge *e = to->edges; e; e = e->next)
    if (e->to->parent == from)
      e->to->parent = to;
}

struct memo_node *memo_put_aside(struct memo_node *n) {
  struct memo_node *aside = memo_create();
  CHECK(n->kind == MEMO_LOAD && !n->state && !n->recalled && !n->after_invalid,
        "what is known about a node is lost");
  *aside = *n;
  aside->parent = NULL;
  move_edges(n, aside);
  n->kind = MEMO_UNEXECUTED;
  return aside;
}

void memo_keep_aside(struct memo_node *n, struct memo_node *aside) {
  CHECK(n->kind == MEMO_MERGE, "observation %d", n->kind);
  aside->parent = n;
  aside->parent_value = MEMO_ASIDE;
  memo_join(n, MEMO_ASIDE, aside);
}

void memo_take_back(struct memo_node *n, struct memo_node *aside, memo_gone *gone, void *context) {
  while (n->edges) {
    struct memo_edge *e = n->edges;
    n->edges = e->next;
    if (e->to->parent == n)
      memo_drop(e->to, gone, context);
    mem_free(e, sizeof *e);
  }
  n->kind = aside->kind;
  n->load = aside->load;
  n->events_begin = aside->events_begin;
  n->events_end = aside->events_end;
  move_edges(aside, n);
  mem_free(aside, sizeof *aside);
  nodes--;
}

static void grow(struct memo_chains *c) {
  size_t count = c->bucket_count ? 2 * c->bucket_count : 256;
  struct memo_chain **new = mem_alloc(count * sizeof *new);
  for (size_t i = 0; i < c->bucket_count; i++)
    for (struct memo_chain *x = c->buckets[i], *next; x; x = next) {
      next = x->next;
      x->next = new[x->hash & (count - 1)];
      new[x->hash & (count - 1)] = x;
    }
  mem_free_outgrown(c->buckets, c->bucket_count * sizeof *c->buckets);
  c->buckets = new;
  c->bucket_count = count;
}

static bool same_load(const struct memo_load *a, const struct memo_load *b) {
  return a->address == b->address && a->value == b->value && a->size == b->size &&
         a->site == b->site && a->code == b->code && a->line == b->line &&
         a->ignored == b->ignored && a->in_checksum == b->in_checksum && a->summed == b->summed &&
         a->holds == b->holds && a->peeks == b->peeks;
}

static bool same_chain(const struct memo_chain *a, const struct memo_chain *b) {
  bool same = a->hash == b->hash && a->length == b->length && a->parts == b->parts;
  if (same && a->parts)
    return memcmp(a->part, b->part, a->parts * sizeof *a->part) == 0;
  for (uint32_t i = 0; same && i < a->length; i++)
    same = same_load(&a->loads[i], &b->loads[i]);
  return same;
}

static size_t content_bytes(const struct memo_chain *c) {
  return c->parts ? c->parts * sizeof *c->part : c->length * sizeof *c->loads;
}

static size_t lines_bytes(uint32_t count) {
  return sizeof(struct memo_lines) + count * sizeof(struct memo_line);
}

static bool has_line(const struct memo_lines *x, const void *line) {
  for (uint32_t i = x->count; i-- > 0;) /* most are of the same line as the one before */
    if (x->at[i].line == line)
      return true;
  return false;
}

static struct memo_lines *lines_of(const struct memo_load *loads, uint32_t count) {
  struct memo_lines *all = mem_alloc(lines_bytes(count)), *x;
  for (uint32_t i = 0; i < count; i++)
    if (!has_line(all, loads[i].line))
      all->at[all->count++].line = loads[i].line;
  x = memcpy(mem_alloc(lines_bytes(all->count)), all, lines_bytes(all->count));
  mem_free(all, lines_bytes(count));
  return x;
}

/* The chain like that one which is kept; a copy if there is none yet. */
static const struct memo_chain *keep(struct memo_chains *c, const struct memo_chain *like) {
  if (c->count >= c->bucket_count)
    grow(c);
  struct memo_chain **bucket = &c->buckets[like->hash & (c->bucket_count - 1)], *x = *bucket;
  while (x && !same_chain(x, like))
    x = x->next;
  if (x)
    return x;
  x = mem_alloc(sizeof *x);
  *x = *like;
  x->loads = memcpy(mem_alloc(content_bytes(like)), like->loads, content_bytes(like));
  if (!x->parts)
    x->lines = lines_of(x->loads, x->length);
  x->next = *bucket;
  *bucket = x;
  c->count++;
  return x;
}

const struct memo_chain *memo_chain_of_loads(struct memo_chains *c, const struct memo_load *loads,
                                             size_t count) {
  CHECK(count > 0, "a chain of nothing");
  struct memo_chain x = {.hash = count, .length = (uint32_t)count, .loads = loads};
  for (size_t i = 0; i < count; i++)
    x.hash = hash_u64(hash_u64(x.hash, loads[i].address), loads[i].value);
  return keep(c, &x);
}

const struct memo_chain *memo_chain_of_chains(struct memo_chains *c,
                                              const struct memo_chain *const *part, size_t count) {
  CHECK(count > 0, "a chain of nothing");
  if (count == 1)
    return part[0];
  struct memo_chain x = {.parts = (uint32_t)count, .part = part};
  for (size_t i = 0; i < count; i++) {
    x.hash = hash_u64(x.hash, part[i]->hash);
    x.length += part[i]->length;
  }
  return keep(c, &x);
}

void memo_free_chains(struct memo_chains *c) {
  for (size_t i = 0; i < c->bucket_count; i++)
    for (struct memo_chain *x = c->buckets[i], *next; x; x = next) {
      next = x->next;
      mem_free((void *)x->loads, content_bytes(x));
      if (x->lines)
        mem_free(x->lines, lines_bytes(x->lines->count));
      mem_free(x, sizeof *x);
    }
  mem_free(c->buckets, c->bucket_count * sizeof *c->buckets);
  *c = (struct memo_chains){0};
}

/* The one edge of n becomes an edge of `last`, for that answer. */
static void hand_over(struct memo_node *n, struct memo_node *last, uint64_t value) {
  struct memo_edge *e = n->edges;
  n->edges = NULL;
  if (!e)
    return;
  CHECK(!e->next, "loads in a chain have one answer");
  if (e->to->parent == n) {
    e->to->parent = last;
    e->to->parent_value = value;
  }
  e->value = value;
  last->edges = e;
}

struct memo_node *memo_split(struct memo_node *n, uint32_t i) {
  CHECK(n->kind == MEMO_CHAIN && i >= n->begin && i < n->end, "load %u of %u", i, n->end);
  struct memo_load load = *memo_chain_load(n->chain, i);
  struct memo_node *at = n, *rest = NULL;
  if (i + 1 < n->end) {
    rest = memo_create();
    rest->kind = MEMO_CHAIN;
    rest->chain = n->chain;
    rest->begin = i + 1;
    rest->end = n->end;
    hand_over(n, rest, 0);
  }
  if (i > n->begin) {
    at = memo_create();
    at->parent = n;
    hand_over(n, at, load.value); /* without a rest */
    n->end = i;
    memo_join(n, 0, at);
  } else
    hand_over(n, n, load.value); /* likewise */
  at->kind = MEMO_LOAD;
  at->load = load;
  if (rest) {
    rest->parent = at;
    rest->parent_value = load.value;
    memo_join(at, load.value, rest);
  }
  return at;
}

void memo_cut(struct memo_node *n, uint64_t value) {
  for (struct memo_edge **at = &n->edges; *at; at = &(*at)->next)
    if ((*at)->value == value) {
      struct memo_edge *e = *at;
      *at = e->next;
      CHECK(e->to->parent == n, "what others have joined is cut off");
      memo_drop(e->to, NULL, NULL);
      mem_free(e, sizeof *e);
      return;
    }
}

struct memo_node *memo_path_to(struct memo_node *n, bool (*stop)(const struct memo_node *n),
                               memo_path *out) {
  struct memo_node *begin = NULL;
  out->length = 0;
  for (struct memo_node *at = n; at->parent && !begin; at = at->parent) {
    vec_push(out, ((struct memo_step){at->parent, at->parent_value}));
    if (stop && stop(at->parent))
      begin = at->parent;
  }
  for (size_t i = 0, j = out->length; i + 1 < j; i++) {
    struct memo_step swap = out->data[i];
    out->data[i] = out->data[--j];
    out->data[j] = swap;
  }
  return begin;
}
