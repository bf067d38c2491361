#include "search/walk.h"

/* ---- answers to loads ---- */

/* Do the two differ only in one domain, in which the older ends where the newer begins? */
static bool adjacent(const struct candidate *newer, const struct candidate *older, int *where) {
  int different = 0;
  if (newer->value != older->value || newer->refinement_count != older->refinement_count)
    return false;
  for (int i = 0; i < newer->refinement_count; i++) {
    const struct refinement *a = &newer->refinements[i], *b = &older->refinements[i];
    if (a->domain != b->domain)
      return false;
    if (a->interval.low == b->interval.low && a->interval.high == b->interval.high)
      continue;
    if (b->interval.high + 1 != a->interval.low)
      return false;
    *where = i;
    different++;
  }
  return different == 1;
}

/* Which of several neighbouring stores of the same value survived says nothing, and may stay open. */
size_t walk_answers(struct walk *w, struct line *l, int offset, int size) {
  candidate_list *all = &w->history->candidates;
  size_t first = all->length;
  int where;
  w->raw.length = w->answer_of.length = 0;
  memory_candidates(w->memory, l, offset, size, &w->raw);
  for (size_t i = 0; i < w->raw.length; i++) {
    if (i && !w->each_store && adjacent(&vec_last(all), &w->raw.data[i], &where))
      vec_last(all).refinements[where].interval.low =
          w->raw.data[i].refinements[where].interval.low;
    else
      vec_push(all, w->raw.data[i]);
    vec_push(&w->answer_of, (uint32_t)(all->length - first - 1));
  }
  return first;
}

static struct memo_node *answer(struct walk *w, struct memo_node *n, const struct candidate *c,
                                uint64_t value) {
  w->user->answer(w, n, c, value);
  if (c)
    memory_choose(w->memory, n->line, c);
  return memo_follow(n, value);
}

/* Answer the newest load as its choice says. */
static struct memo_node *take_load(struct walk *w) {
  const struct history *h = w->history;
  const struct history_read *r = &vec_last(&h->reads);
  const struct candidate *c = &h->candidates.data[r->first + r->taken];
  return answer(w, vec_last(&w->branches).node, c, c->value);
}

static void doubt(struct walk *w, const struct memo_node *n, struct choice *choice) {
  if (w->user->doubt)
    w->user->doubt(w, n, choice);
}

static struct memo_node *follow_load(struct walk *w, struct memo_node *n) {
  struct history *h = w->history;
  struct line *l = n->line;
  int offset = (int)(n->address - l->address);
  uint64_t value;
  memory_settle(w->memory, l);
  if (memory_certain(w->memory, l, offset, n->size, &value))
    return answer(w, n, NULL, value);
  struct history_read r = {.address = n->address,
                           .size = n->size,
                           .execution = (int)h->failures.length,
                           .site = n->site,
                           .code = n->code,
                           .first = walk_answers(w, l, offset, n->size)};
  r.count = h->candidates.length - r.first;
  if (r.count == 1) { /* several stores of one value */
    value = h->candidates.data[r.first].value;
    h->candidates.length = r.first;
    doubt(w, n, NULL);
    return answer(w, n, NULL, value);
  }
  r.taken = choice_open(&h->choices, CHOICE_READ, (uint32_t)r.count);
  vec_push(&h->reads, r);
  doubt(w, n, &vec_last(&h->choices.stack));
  walk_branch(w, n);
  return take_load(w);
}

/* ---- branches ---- */

void walk_branch(struct walk *w, struct memo_node *n) {
  vec_push(&w->branches, ((struct walk_branch){n, memory_mark(w->memory)}));
  w->user->mark(w);
}

static void go_back(struct walk *w, size_t mark) {
  memory_undo(w->memory, mark);
  w->user->back(w);
}

/* Forget the newest branch. */
static void drop_branch(struct walk *w) {
  struct history *h = w->history;
  if (vec_last(&w->branches).node->kind == MEMO_LOAD) {
    h->candidates.length = vec_last(&h->reads).first;
    h->reads.length--;
  }
  w->branches.length--;
  w->user->drop(w);
}

/* The next alternative of the newest branch; NULL if there is none, and its choice is closed. */
static struct memo_node *next_alternative(struct walk *w) {
  struct walk_branch b = vec_last(&w->branches);
  go_back(w, b.mark);
  if (b.node->kind != MEMO_LOAD)
    return w->user->next(w, b.node);
  if (!choice_next(&w->history->choices))
    return NULL;
  vec_last(&w->history->reads).taken++;
  return take_load(w);
}

static struct memo_node *backtrack(struct walk *w, size_t bottom) {
  while (w->branches.length > bottom && !w->user->over(w)) {
    struct memo_node *n = next_alternative(w);
    if (n)
      return n;
    drop_branch(w);
  }
  return NULL;
}

/* ---- the walk ---- */

void walk_explore(struct walk *w, struct memo_node *root) {
  size_t bottom = w->branches.length, mark = memory_mark(w->memory);
  w->user->mark(w);
  for (struct memo_node *n = root; n && !w->user->over(w);) {
    if (n->kind == MEMO_UNEXECUTED || (n->kind == MEMO_END && w->user->runs_again(w, n)))
      w->user->run(w, n);
    w->user->arrive(w, n);
    if (n->kind == MEMO_LOAD) {
      n = follow_load(w, n);
      continue;
    }
    if (n->kind == MEMO_END || n->kind == MEMO_UNEXECUTED) {
      w->user->ended(w, n);
      n = NULL;
    } else
      n = w->user->follow(w, n);
    if (!n)
      n = backtrack(w, bottom);
  }
  for (; w->branches.length > bottom; drop_branch(w)) /* stopped early */
    choice_close(&w->history->choices);
  go_back(w, mark);
  w->user->drop(w);
}
