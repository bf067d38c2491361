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

/* Is number i the oldest of several that were taken together? */
static bool ends_several(const struct walk *w, size_t i) {
  const uint32_t *of = w->answer_of.data;
  return i > 0 && of[i - 1] == of[i] && (i + 1 == w->answer_of.length || of[i + 1] != of[i]);
}

/* The oldest of several stores of one value is an answer of its own while it is the only one. */
static void tell_apart(struct walk *w, const struct line *l, size_t first) {
  candidate_list *all = &w->history->candidates;
  for (size_t i = 0, count = w->raw.length; i < count; i++) {
    struct candidate alone, *both = &all->data[first + w->answer_of.data[i]];
    int where = 0;
    if (!ends_several(w, i) || !adjacent(&w->raw.data[i - 1], &w->raw.data[i], &where) ||
        !memory_tell_apart(w->memory, l, &w->raw.data[i - 1].refinements[where], &w->raw.data[i],
                           both, &alone))
      continue;
    vec_push(all, alone);
    vec_push(&w->raw, alone);
  }
  while (w->answer_of.length < w->raw.length)
    vec_push(&w->answer_of, (uint32_t)(all->length - first - w->raw.length + w->answer_of.length));
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
  if (w->each_cut)
    tell_apart(w, l, first);
  return first;
}

static struct memo_node *answer(struct walk *w, struct memo_node *n, const struct candidate *c,
                                uint64_t value) {
  w->user->answer(w, &n->load, c, value);
  if (c)
    memory_choose(w->memory, n->load.line, c);
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
    w->user->doubt(w, &n->load, choice);
}

/* The answer if there is only one. */
static bool certain(const struct walk *w, const struct memo_load *x, uint64_t *value) {
  const struct line *l = x->line;
  int offset = (int)(x->address - l->address);
  if (x->peeks)
    *value = memory_newest(w->memory, l, offset, x->size);
  return x->peeks || memory_certain(w->memory, l, offset, x->size, value);
}

static struct memo_node *follow_load(struct walk *w, struct memo_node *n) {
  struct history *h = w->history;
  struct line *l = n->load.line;
  int offset = (int)(n->load.address - l->address);
  uint64_t value;
  recall_consult(&w->recall, w->memory, l);
  memory_settle(w->memory, l);
  if (certain(w, &n->load, &value))
    return answer(w, n, NULL, value);
  struct history_read r = {.address = n->load.address,
                           .size = n->load.size,
                           .execution = (int)h->failures.length,
                           .site = n->load.site,
                           .code = n->load.code,
                           .first = walk_answers(w, l, offset, n->load.size)};
  r.count = h->candidates.length - r.first;
  if (r.count == 1) { /* several stores of one value */
    value = h->candidates.data[r.first].value;
    h->candidates.length = r.first;
    doubt(w, n, NULL);
    return answer(w, n, NULL, value);
  }
  bool begun = !h->choices.starting; /* otherwise the answers belong to an earlier range */
  r.taken = choice_open(&h->choices, CHOICE_READ, (uint32_t)r.count);
  vec_push(&h->reads, r);
  if (begun)
    doubt(w, n, &vec_last(&h->choices.stack));
  walk_branch(w, n);
  if (!begun)
    recall_spoil(&w->recall);
  return take_load(w);
}

/* Where a load of the chain has another answer than before, it gets a node of its own. */
static struct memo_node *follow_chain(struct walk *w, struct memo_node *n) {
  uint64_t value;
  uint32_t first;
  const struct memo_chain *part = memo_chain_part(n->chain, n->begin, &first);
  for (uint32_t i = n->begin; i < n->end; i++) {
    if (i - first == part->length)
      part = memo_chain_part(n->chain, i, &first);
    const struct memo_load *x = &part->loads[i - first];
    struct line *l = x->line;
    memory_settle(w->memory, l);
    if (!certain(w, x, &value) || value != x->value)
      return memo_split(n, i);
    recall_consult(&w->recall, w->memory, l);
    w->user->answer(w, x, NULL, value);
  }
  return n->edges->to;
}

/* ---- branches ---- */

void walk_branch(struct walk *w, struct memo_node *n) {
  vec_push(&w->branches, ((struct walk_branch){n, memory_mark(w->memory), w->deviations}));
  recall_open(&w->recall, w->memory);
  w->user->mark(w);
}

static void go_back(struct walk *w, size_t mark) {
  recall_undo(&w->recall, w->memory, mark);
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
  w->deviations = b.deviations;
  if (b.node->kind != MEMO_LOAD)
    return w->user->next(w, b.node);
  if (w->limited && w->deviations == w->deviations_max) {
    choice_close(&w->history->choices);
    return NULL;
  }
  if (!choice_next(&w->history->choices))
    return NULL;
  w->deviations++;
  vec_last(&w->history->reads).taken++;
  return take_load(w);
}

/* Does what comes of the place depend on memory alone? */
static bool depends_on_memory(struct walk *w) {
  return !w->user->is_whole || w->user->is_whole(w);
}

static struct memo_node *backtrack(struct walk *w, size_t bottom) {
  while (w->branches.length > bottom && !w->user->over(w)) {
    struct memo_node *n = next_alternative(w);
    if (n)
      return n;
    if (!w->history->choices.past) /* otherwise the rest belongs to a later range */
      recall_close(&w->recall, w->memory, vec_last(&w->branches).node, depends_on_memory(w));
    drop_branch(w);
  }
  return NULL;
}

/* ---- the walk ---- */

/* Is it known what comes of this node? */
static bool recalled(struct walk *w, struct memo_node *n) {
  const struct recall_entry *e = choice_is_whole(&w->history->choices) && depends_on_memory(w)
                                     ? recall_find(&w->recall, w->memory, n)
                                     : NULL;
  if (!e || !w->user->take(w, &e->tally))
    return false;
  recall_take(&w->recall, e);
  return true;
}

void walk_explore(struct walk *w, struct memo_node *root) {
  size_t bottom = w->branches.length, mark = memory_mark(w->memory);
  recall_begin(&w->recall, w->memory, w->recalls);
  w->user->mark(w);
  for (struct memo_node *n = root; n && !w->user->over(w);) {
    if (n->kind == MEMO_UNEXECUTED || (n->kind == MEMO_END && w->user->runs_again(w, n)))
      w->user->run(w, n);
    w->user->arrive(w, n);
    if (n->kind == MEMO_CHAIN) {
      struct memo_node *next = follow_chain(w, n);
      if (next != n) {
        n = next;
        continue;
      } /* otherwise it is no chain any more, and we have arrived */
    }
    if (n->kind == MEMO_LOAD && !recalled(w, n)) {
      n = follow_load(w, n);
      continue;
    }
    if (n->kind == MEMO_END || n->kind == MEMO_UNEXECUTED) {
      w->user->ended(w, n);
      recall_ended(&w->recall, n->result, w->branches.length - bottom, depends_on_memory(w));
      n = NULL;
    } else if (n->kind == MEMO_LOAD)
      n = NULL;
    else
      n = w->user->follow(w, n);
    if (!n)
      n = backtrack(w, bottom);
  }
  recall_end(&w->recall);
  for (; w->branches.length > bottom; drop_branch(w)) /* stopped early */
    choice_close(&w->history->choices);
  go_back(w, mark);
  w->user->drop(w);
}

static void gone(void *context, struct memo_node *n) {
  struct walk *w = context;
  recall_forget(&w->recall, n->recalled);
  if (w->user->gone)
    w->user->gone(w, n);
}

void walk_drop(struct walk *w, struct memo_node *root) {
  memo_drop(root, gone, w);
}
