#include "base/check.h"
#include "search/walk_internal.h"
#include <string.h>

/* So many open branches are many: 4,096 executions if each has two answers. */
#define OPEN_MANY 12

/* ---- loads ---- */

static struct memo_node *answer(struct walk *w, struct memo_node *n, const struct candidate *c,
                                uint64_t value) {
  w->user->answer(w, &n->load, c, value);
  if (c) {
    sum_take(&w->sum, n->load.line, c);
    memory_choose(w->memory, n->load.line, c);
  }
  return memo_follow(n, value);
}

/* Answer the newest load as its choice says. */
static struct memo_node *take_load(struct walk *w) {
  const struct history *h = w->history;
  const struct history_read *r = &vec_last(&h->reads);
  CHECK(r->taken < r->count && r->first + r->count <= h->candidates.length, "answer %u of %zu",
        r->taken, r->count);
  const struct candidate *c = &h->candidates.data[r->first + r->taken];
  return answer(w, vec_last(&w->branches).node, c, c->value);
}

static void doubt(struct walk *w, const struct memo_node *n, struct choice *choice) {
  if (w->user->doubt)
    w->user->doubt(w, &n->load, choice);
}

/* A node to which many paths may lead, one of several in a row: make a branch of it, only so that what comes of it is
 * memoised; not if part of that belongs to an earlier range. */
static void stop_over(struct walk *w, struct memo_node *n) {
  if (!w->stops_over || !w->recall.on || w->history->choices.starting)
    return;
  walk_branch(w, n);
  vec_last(&w->branches).way = WALK_ONLY;
}

/* Have all loads of that line in the part the one answer that they had before? */
static bool line_holds(const struct walk *w, const struct memo_chain *part, const void *line) {
  uint64_t value;
  for (uint32_t i = 0; i < part->length; i++) {
    const struct memo_load *x = &part->loads[i];
    if (x->line == line && (!walk_certain(w, x, &value) || value != x->value))
      return false;
  }
  return true;
}

/* The same for all its loads, which were found so (note_part)?  Only lines that have changed since are looked at. */
static bool part_holds(const struct walk *w, const struct memo_chain *part) {
  struct memo_lines *x = part->lines;
  if (!x->certain || x->failed != w->memory->failed || w->memory->open)
    return false;
  for (uint32_t i = 0; i < x->count; i++) {
    const struct line *l = x->at[i].line;
    if (l->stamp == x->at[i].stamp)
      continue;
    if (!line_holds(w, part, l))
      return false;
    x->at[i].stamp = l->stamp;
    x->together = MEMO_UNKNOWN;
  }
  return true;
}

/* All loads of the part have one answer each, the one they had before. */
static void note_part(const struct walk *w, const struct memo_chain *part) {
  struct memo_lines *x = part->lines;
  x->certain = true;
  x->together = MEMO_UNKNOWN;
  x->failed = w->memory->failed;
  for (uint32_t i = 0; i < x->count; i++)
    x->at[i].stamp = ((const struct line *)x->at[i].line)->stamp;
}

static void note_together(struct walk *w) {
  bool begins_again = w->late && w->recall.on; /* perhaps: then it will be done soon */
  w->history->choices.together = begins_again || recall_is_steady(&w->recall) ? w->depth : 0;
}

/* If all answers to n (those from `first` on) lead to the same node, go there with the line divided: a branch WALK_ALL.
 * NULL: they may make a difference.  n itself: it is no load any more, and the walk goes on there. */
static struct memo_node *take_all(struct walk *w, struct memo_node *n, size_t first) {
  candidate_list *all = &w->history->candidates;
  size_t count = all->length - first;
  if (!w->divides || !w->recall.on || w->limited || !choice_is_whole(&w->history->choices))
    return NULL;
  if (!w->all && w->plain) {
    w->plain--;
    return NULL;
  }
  struct memo_node *at = walk_meeting(w, n, &all->data[first], count);
  if (!at && w->user->take_state && w->user->take_state(w, n)) {
    all->length = first;
    return n;
  }
  for (size_t i = 0; !at && i < count; i++)
    walk_probe(w, n, &all->data[first + i], (uint32_t)i);
  if (!at)
    at = walk_meeting(w, n, &all->data[first], count);
  size_t mark = memory_mark(w->memory);
  if (!at || !memory_divide(w->memory, n->load.line, &all->data[first], count))
    return NULL;
  memory_undo(w->memory, mark);
  walk_branch(w, n);
  vec_last(&w->branches).way = WALK_ALL;
  w->all++;
  note_together(w);
  memory_divide(w->memory, n->load.line, &all->data[first], count);
  all->length = first;
  for (size_t i = 0; i < w->between.length; i++)
    recall_consult(&w->recall, w->memory, w->between.data[i]);
  return at;
}

/* The load with the last answers in the history. */
static struct history_read read_of(const struct history *h, const struct memo_node *n,
                                   size_t first) {
  return (struct history_read){.address = n->load.address,
                               .size = n->load.size,
                               .execution = (int)h->failures.length,
                               .site = n->load.site,
                               .code = n->load.code,
                               .first = first,
                               .count = h->candidates.length - first};
}

/* The newest branch, at n, tries its answers (those from `first` on) one after the other; take the first. */
static struct memo_node *take_each(struct walk *w, const struct memo_node *n, size_t first) {
  struct history *h = w->history;
  struct history_read r = read_of(h, n, first);
  bool begun = !h->choices.starting; /* otherwise the answers belong to an earlier range */
  vec_last(&w->branches).way = w->all ? WALK_QUIET : WALK_CHOICE;
  if (!w->all)
    r.taken = choice_open(&h->choices, CHOICE_READ, (uint32_t)r.count);
  vec_push(&h->reads, r);
  if (!begun)
    recall_spoil(&w->recall);
  else if (!w->all)
    doubt(w, n, &vec_last(&h->choices.stack));
  return take_load(w);
}

/* counted: there is an entry for it, but its executions have to be walked one by one, so answers are not taken
 * together. */
static struct memo_node *follow_load(struct walk *w, struct memo_node *n, bool counted) {
  struct history *h = w->history;
  struct line *l = n->load.line;
  uint64_t value;
  recall_consult(&w->recall, w->memory, l);
  memory_settle(w->memory, l);
  if (walk_certain(w, &n->load, &value)) {
    if (n->stops_over && !counted)
      stop_over(w, n);
    return answer(w, n, NULL, value);
  }
  struct sum sum = w->sum;
  size_t first = walk_answers_to(w, &n->load, &sum);
  if (h->candidates.length - first == 1) { /* several stores of one value, or one that is tried */
    struct candidate only = h->candidates.data[first];
    h->candidates.length = first;
    w->sum = sum;
    doubt(w, n, NULL);
    return answer(w, n, w->left_out ? &only : NULL, only.value);
  }
  /* What a checksum leaves out later depends on what was read. */
  struct memo_node *meet = counted || sum.line ? NULL : take_all(w, n, first);
  if (meet == n)
    return n;
  if (!meet)
    walk_branch(w, n); /* memoised with the sum that an entry is looked for with */
  vec_last(&w->branches).sum = w->sum = sum;
  return meet ? meet : take_each(w, n, first);
}

/* Returns the index of the first load that has another answer than before, or count. */
static uint32_t follow_loads(struct walk *w, const struct memo_load *x, uint32_t count) {
  uint64_t value;
  for (uint32_t i = 0; i < count; i++) {
    struct line *l = x[i].line;
    memory_settle(w->memory, l);
    if (!walk_certain(w, &x[i], &value) || value != x[i].value)
      return i;
    recall_consult(&w->recall, w->memory, l);
    w->user->answer(w, &x[i], NULL, value);
  }
  return count;
}

/* Pass over a part of a chain whose loads are known to have the answers that they had before. */
static void skim(struct walk *w, const struct memo_chain *part) {
  for (uint32_t i = 0; i < part->lines->count; i++)
    recall_consult(&w->recall, w->memory, part->lines->at[i].line);
  if (!w->user->may_skim || w->user->may_skim(w, part)) {
    w->user->skimmed(w, part->loads, part->length);
    return;
  }
  for (uint32_t i = 0; i < part->length; i++)
    w->user->answer(w, &part->loads[i], NULL, part->loads[i].value);
}

/* A load of the chain that has another answer than before gets a node of its own, which may be n itself. */
static struct memo_node *follow_chain(struct walk *w, struct memo_node *n) {
  for (uint32_t i = n->begin, first; i < n->end;) {
    const struct memo_chain *part = memo_chain_part(n->chain, i, &first);
    uint32_t end = first + part->length < n->end ? first + part->length : n->end;
    bool skims = w->skims && end - i == part->length;
    if (skims && part_holds(w, part)) {
      skim(w, part);
      i = end;
      continue;
    }
    i += follow_loads(w, &part->loads[i - first], end - i);
    if (i < end)
      return memo_split(n, i);
    if (skims)
      note_part(w, part);
  }
  return n->edges->to;
}

/* ---- branches ---- */

static void note_besides(struct walk *w) {
  if (w->user->besides && w->recall.allowed)
    w->recall.besides = w->user->besides(w);
}

void walk_branch(struct walk *w, struct memo_node *n) {
  vec_push(
      &w->branches,
      ((struct walk_branch){
          .node = n, .mark = memory_mark(w->memory), .deviations = w->deviations, .sum = w->sum}));
  if (w->recall.on)
    note_besides(w);
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
  const struct walk_branch *b = &vec_last(&w->branches);
  bool in_turn = b->way == WALK_CHOICE || b->way == WALK_QUIET;
  CHECK(b->way != WALK_ALL || w->all > 0, "nobody has taken all alternatives");
  if (b->node->kind == MEMO_LOAD && in_turn) {
    h->candidates.length = vec_last(&h->reads).first;
    h->reads.length--;
  }
  w->all -= b->way == WALK_ALL;
  w->branches.length--;
  w->user->drop(w);
}

/* The next answer of a branch WALK_QUIET. */
static struct memo_node *next_quietly(struct walk *w) {
  struct history_read *r = &vec_last(&w->history->reads);
  if (++r->taken == r->count)
    return NULL;
  return take_load(w);
}

/* The newest branch was WALK_ALL, and now has to try its answers one after the other. */
static struct memo_node *try_each(struct walk *w, const struct memo_node *n) {
  w->all = 0;
  return take_each(w, n, walk_answers_to(w, &n->load, &w->sum));
}

/* The newest branch, WALK_ALL, is done: tell the user what was counted (below another WALK_ALL that one does).  If one
 * of the executions has to be described, the answers are tried one after the other. */
static struct memo_node *tell_all(struct walk *w, struct memo_node *n) {
  if (w->all > 1)
    return NULL;
  if (w->user->take(w, recall_counted(&w->recall))) {
    w->stride = 1;
    return NULL;
  }
  w->plain = w->stride;
  w->stride *= 2;
  recall_again(&w->recall, w->memory, n);
  return try_each(w, n);
}

/* Memoisation was turned off, so nothing is counted below branches WALK_ALL: go back to the oldest of them, and try its
 * answers one after the other. */
static struct memo_node *give_up_all(struct walk *w) {
  CHECK(w->all > 0, "nobody has taken all alternatives");
  while (vec_last(&w->branches).way != WALK_ALL || w->all > 1)
    drop_branch(w);
  struct walk_branch b = vec_last(&w->branches);
  go_back(w, b.mark);
  w->sum = b.sum;
  return try_each(w, b.node);
}

/* ---- the witness: one of the executions that are walked together ---- */

/* The execution under way has a new kind of result.  Its witness has, in every line that has changed since that mark,
 * the newest write-back that is still possible. */
static void note_witness(struct walk *w, size_t mark) {
  w->witness.length = 0;
  for (size_t i = mark; i < w->memory->trail.length; i++) {
    const struct line *l = w->memory->trail.data[i].line;
    while (w->witness.length <= l->number)
      vec_push(&w->witness, ((struct walk_witness){0}));
    struct walk_witness *p = &w->witness.data[l->number];
    p->line = l;
    for (int d = 0; d < DOMAINS_MAX; d++)
      p->newest[d] = l->interval[d].high;
  }
}

/* Does the witness take that answer? */
static bool fits_witness(const struct walk *w, const struct line *l, const struct candidate *c) {
  CHECK(l->number < w->witness.length && w->witness.data[l->number].line == l,
        "nobody was in doubt about line %u", l->number);
  for (int i = 0; i < c->refinement_count; i++) {
    uint32_t newest = w->witness.data[l->number].newest[c->refinements[i].domain];
    if (newest < c->refinements[i].interval.low || newest > c->refinements[i].interval.high)
      return false;
  }
  return true;
}

/* Answer the load as the witness does. */
static struct memo_node *answer_as_witness(struct walk *w, struct memo_node *n) {
  struct history *h = w->history;
  struct line *l = n->load.line;
  uint64_t value;
  memory_settle(w->memory, l);
  if (walk_certain(w, &n->load, &value))
    return answer(w, n, NULL, value);
  size_t first = walk_answers_to(w, &n->load, &w->sum);
  struct history_read r = read_of(h, n, first);
  const struct candidate *all = &h->candidates.data[r.first];
  if (r.count == 1) {
    struct candidate only = *all;
    h->candidates.length = r.first;
    return answer(w, n, w->left_out ? &only : NULL, only.value);
  }
  while (r.taken < r.count && !fits_witness(w, l, &all[r.taken]))
    r.taken++;
  CHECK(r.taken < r.count, "no answer at 0x%lx fits what was seen", (unsigned long)r.address);
  vec_push(&h->reads, r);
  choice_pass(&h->choices, CHOICE_READ, r.taken);
  return answer(w, n, &all[r.taken], all[r.taken].value);
}

/* Walk from the load n to the end of the witness, which was run before, and show it to the user. */
static void walk_to_witness(struct walk *w, struct memo_node *n, uint32_t result) {
  struct history *h = w->history;
  size_t choices = h->choices.stack.length, reads = h->reads.length,
         candidates = h->candidates.length;
  n = answer_as_witness(w, n);
  while (n->kind != MEMO_END) {
    CHECK(n->kind != MEMO_UNEXECUTED, "an execution that was seen is not known");
    w->user->arrive(w, n);
    struct memo_node *next = n->kind == MEMO_CHAIN ? follow_chain(w, n) : n;
    if (next == n)
      next = n->kind == MEMO_LOAD ? answer_as_witness(w, n) : w->user->follow(w, n);
    n = next;
  }
  w->user->arrive(w, n);
  CHECK(n->result == result, "an execution ends with %u, not with %u", n->result, result);
  w->user->witness(w, n);
  while (h->choices.stack.length > choices)
    choice_close(&h->choices);
  h->reads.length = reads;
  h->candidates.length = candidates;
}

/* Drop the newest branch, and what was counted there. */
static void forget_branch(struct walk *w) {
  recall_spoil(&w->recall);
  recall_close(&w->recall, w->memory, vec_last(&w->branches).node, RECALL_NOTHING);
  drop_branch(w);
}

/* Go back to the oldest branch WALK_ALL, which is the newest branch then; returns its node. */
static struct memo_node *back_to_oldest_all(struct walk *w) {
  CHECK(w->all > 0, "nobody has taken all alternatives");
  while (vec_last(&w->branches).way != WALK_ALL || w->all > 1)
    forget_branch(w);
  struct walk_branch b = vec_last(&w->branches);
  go_back(w, b.mark);
  w->deviations = b.deviations;
  w->sum = b.sum;
  return b.node;
}

static size_t mark_of_oldest_all(const struct walk *w) {
  size_t i = 0;
  while (w->branches.data[i].way != WALK_ALL)
    i++;
  return w->branches.data[i].mark;
}

/* `end` is a new kind of result: show a witness now, then walk the oldest branch WALK_ALL again from its start.  What
 * was counted completely below it is memoised, so that little is repeated. */
static struct memo_node *show_witness(struct walk *w, const struct memo_node *end) {
  uint32_t result = end->result;
  note_witness(w, mark_of_oldest_all(w));
  struct memo_node *n = back_to_oldest_all(w);
  walk_to_witness(w, n, result);
  go_back(w, vec_last(&w->branches).mark);
  w->sum = vec_last(&w->branches).sum;
  forget_branch(w);
  return follow_load(w, n, false);
}

/* The search shall end at its next position, but below a branch WALK_ALL there are none: go back to that branch, and
 * make it one. */
static struct memo_node *end_here(struct walk *w) {
  struct memo_node *n = back_to_oldest_all(w);
  forget_branch(w);
  choice_stand(&w->history->choices);
  return w->user->over(w) ? n : follow_load(w, n, false);
}

/* ---- the next alternative ---- */

static struct memo_node *next_choice(struct walk *w) {
  if (w->limited && w->deviations == w->deviations_max) {
    choice_close(&w->history->choices);
    return NULL;
  }
  note_together(w);
  if (!choice_next(&w->history->choices))
    return NULL;
  w->deviations++;
  uint32_t taken = ++vec_last(&w->history->reads).taken;
  CHECK(taken == vec_last(&w->history->choices.stack).taken, "answer %u, but choice %u", taken,
        vec_last(&w->history->choices.stack).taken);
  return take_load(w);
}

/* The next alternative of the newest branch; NULL if there is none, and its choice is closed. */
static struct memo_node *next_alternative(struct walk *w) {
  struct walk_branch b = vec_last(&w->branches);
  go_back(w, b.mark);
  w->deviations = b.deviations;
  w->sum = b.sum;
  if (b.node->kind != MEMO_LOAD)
    return w->user->next(w, b.node);
  switch (b.way) {
  case WALK_CHOICE:
    return next_choice(w);
  case WALK_QUIET:
    return next_quietly(w);
  case WALK_ALL:
    return tell_all(w, b.node);
  case WALK_ONLY:
    break;
  }
  return NULL;
}

static bool depends_on_memory(struct walk *w) {
  return !w->user->is_whole || w->user->is_whole(w);
}

static enum recall_keeps what_to_keep(struct walk *w) {
  if (w->user->keeps)
    return w->user->keeps(w);
  return depends_on_memory(w) ? RECALL_ALL : RECALL_NOTHING;
}

static struct memo_node *backtrack(struct walk *w, size_t bottom) {
  while (w->branches.length > bottom && !w->user->over(w)) {
    struct memo_node *n = next_alternative(w);
    if (n)
      return n;
    if (!w->history->choices.past) /* otherwise the rest belongs to a later range */
      recall_close(&w->recall, w->memory, vec_last(&w->branches).node, what_to_keep(w));
    drop_branch(w);
  }
  return NULL;
}

/* ---- the walk ---- */

/* Memoisation has begun with so many branches open.  The executions below them are not counted, so it is better to begin
 * at the start of the walk, once that saves walking: what has to be described was walked (take). */
static bool goes_again(struct walk *w, size_t open) {
  const struct walk_user *u = w->user;
  if (!w->recall.on || w->all || !u->again || (open < OPEN_MANY && open < w->recall.after))
    return false;
  return (w->late ? recall_pays(&w->recall) && u->settled(w) : u->relents(w)) && u->again(w);
}

/* Is there an entry for what comes of this node, and was it taken over?  *counted: there is one, but its executions
 * have to be walked one by one. */
static bool recalled(struct walk *w, struct memo_node *n, size_t open, bool *counted) {
  if (n->recalled)
    note_besides(w);
  const struct recall_entry *e = choice_is_whole(&w->history->choices) && depends_on_memory(w)
                                     ? recall_find(&w->recall, w->memory, n)
                                     : NULL;
  *counted = e != NULL;
  if (!e || (!w->all && !w->user->take(w, &e->tally)))
    return false;
  w->late |= recall_take(&w->recall, w->memory, e, open);
  w->left = goes_again(w, open);
  return true;
}

/* The walk is at the end n, with so many branches open. */
static void come_to_end(struct walk *w, struct memo_node *n, size_t open) {
  if (!w->all) {
    w->user->ended(w, n);
    w->plain = 0;
    w->stride = 1;
  }
  w->awaited = false;
  w->late |=
      recall_ended(&w->recall, w->memory, n->result, open, what_to_keep(w) != RECALL_NOTHING);
  w->left = goes_again(w, open);
}

void walk_explore(struct walk *w, struct memo_node *root) {
  const struct history *h = w->history;
  size_t bottom = w->branches.length, mark = memory_mark(w->memory);
  size_t choices = h->choices.stack.length, reads = h->reads.length;
  size_t candidates = h->candidates.length;
  bool counted;
  size_t depth = w->depth;
  struct sum sum = w->sum;
  w->sum = (struct sum){0};
  w->depth = w->history->choices.stack.length;
  recall_begin(&w->recall, w->memory, w->recalls);
  w->awaited = w->late = false;
  w->plain = 0;
  w->stride = 1;
  w->user->mark(w);
  for (struct memo_node *n = root; n && !w->left && !w->user->over(w);) {
    w->recall.steps++;
    if (w->all && w->user->ending(w)) {
      n = end_here(w);
      continue;
    }
    if (w->all && !w->recall.on)
      n = give_up_all(w);
    w->awaited |= n->kind == MEMO_UNEXECUTED;
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
    if (n->kind == MEMO_LOAD && !recalled(w, n, w->branches.length - bottom, &counted)) {
      n = follow_load(w, n, counted);
      continue;
    }
    if (n->kind == MEMO_END || n->kind == MEMO_UNEXECUTED) {
      if (w->all && n->kind == MEMO_END && w->user->is_new_result(w, n)) {
        n = show_witness(w, n);
        continue;
      }
      come_to_end(w, n, w->branches.length - bottom);
      n = NULL;
    } else if (n->kind == MEMO_LOAD)
      n = NULL;
    else
      n = w->user->follow(w, n);
    if (!n && !w->left)
      n = backtrack(w, bottom);
  }
  recall_end(&w->recall);
  w->depth = depth;
  w->sum = sum;
  w->history->choices.together = 0;
  w->awaited = false;
  for (; w->branches.length > bottom; drop_branch(w)) /* stopped early */
    if (vec_last(&w->branches).way == WALK_CHOICE)
      choice_close(&w->history->choices);
  go_back(w, mark);
  w->user->drop(w);
  CHECK(h->choices.stack.length == choices && h->reads.length == reads &&
            h->candidates.length == candidates && memory_mark(w->memory) == mark,
        "a walk left %zu choices of %zu, %zu loads of %zu", h->choices.stack.length, choices,
        h->reads.length, reads);
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
