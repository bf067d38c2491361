/* Which answers to a load are told apart: neighbouring stores of one value are one, and a checksum leaves some out. */
#include "base/check.h"
#include "search/walk.h"
#include <string.h>

/* Do two answers of one value differ only in one domain, in which the interval of the older ends where that of the
 * newer begins? */
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

/* Is number i of w->raw the oldest of several that became one answer? */
static bool ends_several(const struct walk *w, size_t i) {
  const uint32_t *of = w->answer_of.data;
  return i > 0 && of[i - 1] == of[i] && (i + 1 == w->answer_of.length || of[i + 1] != of[i]);
}

/* Of several stores of one value, which became the answer `both`, that only the oldest had been made is an answer of its
 * own.  i: the oldest, in w->raw. */
static void tell_oldest(struct walk *w, const struct line *l, size_t i, size_t both) {
  candidate_list *all = &w->history->candidates;
  struct candidate alone;
  int where = 0;
  if (!adjacent(&w->raw.data[i - 1], &w->raw.data[i], &where) ||
      !memory_tell_apart(w->memory, l, &w->raw.data[i - 1].refinements[where], &w->raw.data[i],
                         &all->data[both], &alone))
    return;
  vec_push(all, alone);
  vec_push(&w->raw, alone);
}

static uint32_t step_of(const struct line *l, const struct candidate *c) {
  size_t n = l->stores.length;
  while (n > 0 && l->stores.data[n - 1].event != c->store)
    n--;
  CHECK(n > 0, "event %u is no store to the line", c->store);
  return l->stores.data[n - 1].step;
}

/* Does it matter for any of the write-backs? */
static bool covers_matter(const struct walk *w, const struct line *l, uint32_t step,
                          const struct refinement *newest) {
  for (size_t n = 0; w->matters && (n = memory_next_cover(w->memory, l, n, newest));)
    if (w->matters(newest->domain, step, l->write_backs.data[n - 1].moment))
      return true;
  return false;
}

/* And that the newest was certainly written back, by one of the write-backs that may have come.  i: the newest. */
static void tell_newest(struct walk *w, const struct line *l, size_t i, size_t both) {
  candidate_list *all = &w->history->candidates;
  struct candidate certain = w->raw.data[i];
  int where = 0;
  if (!adjacent(&certain, &w->raw.data[i + 1], &where))
    return;
  struct refinement newest = certain.refinements[where];
  bool other = all->data[both].made && all->data[both].cut_domain != newest.domain;
  if (other || certain.store == CANDIDATE_INITIAL || certain.domain != newest.domain ||
      !covers_matter(w, l, step_of(l, &certain), &newest))
    return;
  certain.cut_domain = all->data[both].cut_domain = newest.domain;
  all->data[both].uncovered = newest.interval.low;
  for (size_t n = 0; (n = memory_next_cover(w->memory, l, n, &newest));) {
    certain.made = l->write_backs.data[n - 1].moment + 1;
    vec_push(all, certain);
    vec_push(&w->raw, certain);
  }
}

/* Where it depends on the cut which of them is read (each_cut). */
static void tell_apart(struct walk *w, const struct line *l, size_t first) {
  candidate_list *all = &w->history->candidates;
  for (size_t i = 0, newest = 0, count = w->raw.length; i < count; i++) {
    size_t answer = w->answer_of.data[i];
    if (w->answer_of.data[newest] != answer)
      newest = i;
    if (!ends_several(w, i))
      continue;
    tell_oldest(w, l, i, first + answer);
    tell_newest(w, l, newest, first + answer);
  }
  while (w->answer_of.length < w->raw.length)
    vec_push(&w->answer_of, (uint32_t)(all->length - first - w->raw.length + w->answer_of.length));
}

/* Could a load of these bytes write back what a live domain has stored?  Then it matters whether it reads that, or
 * something of a failed domain that has the same value. */
static bool may_fetch(const struct walk *w, const struct line *l, int offset, int size) {
  uint64_t wanted = (((uint64_t)1 << size) - 1) << offset;
  if (__builtin_popcount(w->memory->failed) >= w->fetches_below)
    return false;
  for (size_t n = l->stores.length; n-- > 0;) {
    const struct store *s = &l->stores.data[n];
    bool lives = !(w->memory->failed >> s->domain & 1);
    if (lives && s->position > l->interval[s->domain].low &&
        wanted & (((uint64_t)1 << s->size) - 1) << s->offset)
      return true;
  }
  return false;
}

/* Which of several neighbouring stores of the same value survived cannot be told by this load, and may stay open: they
 * are one answer, with both intervals, unless each_store is set. */
size_t walk_answers(struct walk *w, struct line *l, int offset, int size) {
  candidate_list *all = &w->history->candidates;
  size_t first = all->length;
  int where;
  bool each = w->each_store || may_fetch(w, l, offset, size);
  w->raw.length = w->answer_of.length = 0;
  memory_candidates(w->memory, l, offset, size, &w->raw);
  for (size_t i = 0; i < w->raw.length; i++) {
    if (i && !each && adjacent(&vec_last(all), &w->raw.data[i], &where))
      vec_last(all).refinements[where].interval.low =
          w->raw.data[i].refinements[where].interval.low;
    else
      vec_push(all, w->raw.data[i]);
    vec_push(&w->answer_of, (uint32_t)(all->length - first - 1));
  }
  if (w->each_cut)
    tell_apart(w, l, first);
  CHECK(all->length > first && w->answer_of.length == w->raw.length,
        "a load at 0x%lx without an answer", (unsigned long)(l->address + (uintptr_t)offset));
  return first;
}

/* The answer does not fit a checksum that is under way (sum.h). */
static void leave_out(struct walk *w, size_t first, size_t i) {
  candidate_list *all = &w->history->candidates;
  size_t kept = 0;
  for (size_t k = 0; k < w->raw.length; k++) {
    uint32_t of = w->answer_of.data[k];
    if (of == i)
      continue;
    w->raw.data[kept] = w->raw.data[k];
    w->answer_of.data[kept++] = of - (of > i);
  }
  w->raw.length = w->answer_of.length = kept;
  memmove(&all->data[first + i], &all->data[first + i + 1],
          (all->length - first - i - 1) * sizeof *all->data);
  all->length--;
}

size_t walk_answers_to(struct walk *w, const struct memo_load *x, struct sum *s) {
  struct line *l = x->line;
  candidate_list *all = &w->history->candidates;
  size_t first = walk_answers(w, l, (int)(x->address - l->address), x->size);
  size_t before = all->length;
  bool some = false;
  w->left_out = false;
  if (before - first == 1)
    return first;
  sum_come(s, x, w->memory->open);
  for (size_t i = first; s->line && i < all->length; i++)
    some |= sum_tries(s, l, &all->data[i]);
  for (size_t i = all->length; some && i-- > first;)
    if (!sum_tries(s, l, &all->data[i]))
      leave_out(w, first, i - first);
  w->left_out = all->length < before;
  w->left_some_out |= w->left_out;
  return first;
}
