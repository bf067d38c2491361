#include "search/walk_internal.h"

/* If the answers to a load do not lead to the same node within so many further loads, they are tried one after the
 * other. */
#define BETWEEN_MAX 4096

bool walk_certain(const struct walk *w, const struct memo_load *x, uint64_t *value) {
  const struct line *l = x->line;
  int offset = (int)(x->address - l->address);
  if (x->peeks)
    *value = memory_newest(w->memory, l, offset, x->size);
  if (x->holds)
    *value = memory_holds(w->memory, l, offset, x->size, x->code);
  return x->peeks || x->holds || memory_certain(w->memory, l, offset, x->size, value);
}

/* Has the load only one answer?  Notes its line in w->between. */
static bool reads(struct walk *w, const struct memo_load *x, uint64_t *value) {
  struct line *l = x->line;
  memory_settle(w->memory, l);
  vec_push(&w->between, l);
  return walk_certain(w, x, value);
}

static bool chain_holds(struct walk *w, const struct memo_node *n) {
  uint64_t value;
  for (uint32_t i = n->begin; i < n->end; i++) {
    const struct memo_load *x = memo_chain_load(n->chain, i);
    if (!reads(w, x, &value) || value != x->value)
      return false;
  }
  return true;
}

/* The node behind the next MEMO_MERGE after n, if every load up to there has one answer; otherwise NULL. */
static struct memo_node *next_merge(struct walk *w, struct memo_node *n) {
  uint64_t value;
  while (n && n->kind != MEMO_MERGE && w->between.length < BETWEEN_MAX)
    if (n->kind == MEMO_CHAIN)
      n = chain_holds(w, n) ? n->edges->to : NULL;
    else if (n->kind == MEMO_LOAD)
      n = reads(w, &n->load, &value) ? memo_known(n, value) : NULL;
    else
      n = NULL;
  return n && n->kind == MEMO_MERGE ? memo_known(n, 0) : NULL;
}

struct memo_node *walk_meeting(struct walk *w, const struct memo_node *n, const struct candidate *c,
                               size_t count) {
  struct memo_node *at = NULL;
  size_t mark = memory_mark(w->memory);
  w->between.length = 0;
  for (size_t i = 0; i < count; i++) {
    memory_choose(w->memory, n->load.line, &c[i]);
    struct memo_node *to = next_merge(w, memo_known(n, c[i].value));
    memory_undo(w->memory, mark);
    if (!to || (at && to != at))
      return NULL;
    at = to;
  }
  return at;
}

void walk_probe(struct walk *w, struct memo_node *n, const struct candidate *c, uint32_t which) {
  struct choices *choices = &w->history->choices;
  struct memo_node *to = memo_follow(n, c->value);
  if (to->kind != MEMO_UNEXECUTED)
    return;
  size_t mark = memory_mark(w->memory);
  memory_choose(w->memory, n->load.line, c);
  if (!w->all)
    choice_pass(choices, CHOICE_READ, which); /* it has a token, should it end the process */
  w->user->run(w, to);
  if (!w->all)
    choice_close(choices);
  memory_undo(w->memory, mark);
}
