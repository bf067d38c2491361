#include "explore/memo.h"
#include "base/check.h"

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
  struct memo_edge *e = mem_alloc(sizeof *e);
  *e = (struct memo_edge){.value = value, .to = to, .next = n->edges};
  n->edges = e;
}

struct memo_node *memo_follow(struct memo_node *n, uint64_t value) {
  CHECK(n->kind != MEMO_UNEXECUTED && n->kind != MEMO_END, "an answer to no observation (%d)",
        n->kind);
  for (struct memo_edge *e = n->edges; e; e = e->next)
    if (e->value == value)
      return e->to;
  struct memo_node *to = memo_create();
  to->parent = n;
  to->parent_value = value;
  memo_join(n, value, to);
  return to;
}

/* Iterative: paths are as long as executions.  A node that others have joined is freed by its
 * parent. */
void memo_drop(struct memo_node *root, void (*ended)(uint32_t result)) {
  for (struct memo_node *n = root; n;) {
    struct memo_edge *e = n->edges;
    if (e) {
      n->edges = e->next;
      n = e->to->parent == n ? e->to : n;
      mem_free(e, sizeof *e);
      continue;
    }
    if (n->kind == MEMO_END && ended)
      ended(n->result);
    struct memo_node *parent = n == root ? NULL : n->parent;
    mem_free(n->options, n->option_count * sizeof *n->options);
    mem_free(n->also, n->also_count * sizeof *n->also);
    mem_free(n, sizeof *n);
    nodes--;
    n = parent;
  }
}

void memo_cut(struct memo_node *n, uint64_t value) {
  for (struct memo_edge **at = &n->edges; *at; at = &(*at)->next)
    if ((*at)->value == value) {
      struct memo_edge *e = *at;
      *at = e->next;
      memo_drop(e->to, NULL);
      mem_free(e, sizeof *e);
      return;
    }
}

void memo_path_to(struct memo_node *n, memo_path *out) {
  out->length = 0;
  for (struct memo_node *at = n; at->parent; at = at->parent)
    vec_push(out, ((struct memo_step){at->parent, at->parent_value}));
  for (size_t i = 0, j = out->length; i + 1 < j; i++) {
    struct memo_step swap = out->data[i];
    out->data[i] = out->data[--j];
    out->data[j] = swap;
  }
}
