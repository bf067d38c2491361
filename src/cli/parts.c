#include "cli/parts.h"
#include "base/check.h"
#include "cli/units.h"
#include "explore/token.h"
#include "finding/results_merge.h"
#include <string.h>

static char *copy(const char *text) {
  return text ? mem_strdup(text) : NULL;
}

static void text_free(char *text) {
  if (text)
    mem_free(text, strlen(text) + 1);
}

static void part_free(struct part *p) {
  text_free(p->from);
  text_free(p->to);
  text_free(p->learnt);
  text_free(p->spent);
  results_free(&p->results);
  vec_free(&p->prefix);
}

void parts_init(struct parts *p, const char *from, const char *to) {
  struct part all = {.from = copy(from), .to = copy(to), .worker = PARTS_NOBODY};
  vec_push(&p->list, all);
}

void parts_free(struct parts *p) {
  for (size_t i = 0; i < p->list.length; i++)
    part_free(&p->list.data[i]);
  vec_free(&p->list);
  units_free(p);
}

size_t parts_find(const struct parts *p, int worker) {
  size_t i = 0;
  while (i < p->list.length &&
         !(p->list.data[i].state == PART_TAKEN && p->list.data[i].worker == worker))
    i++;
  return i;
}

const struct part *parts_of(const struct parts *p, int worker) {
  size_t i = parts_find(p, worker);
  return i < p->list.length ? &p->list.data[i] : NULL;
}

static struct part *next_of(const struct parts *p) {
  struct part *best = NULL;
  for (size_t i = 0; i < p->list.length; i++) {
    struct part *x = &p->list.data[i];
    if (x->state == PART_OPEN && (!best || x->put_off < best->put_off))
      best = x;
  }
  return best;
}

const struct part *parts_next(const struct parts *p) {
  return next_of(p);
}

const struct part *parts_take(struct parts *p, int worker) {
  CHECK(!parts_of(p, worker), "worker %d has a part", worker);
  struct part *best = next_of(p);
  if (best) {
    best->state = PART_TAKEN;
    best->worker = worker;
  }
  return best;
}

bool parts_open(const struct parts *p) {
  for (size_t i = 0; i < p->list.length; i++)
    if (p->list.data[i].state == PART_OPEN)
      return true;
  return false;
}

bool parts_all_done(const struct parts *p) {
  for (size_t i = 0; i < p->list.length; i++)
    if (p->list.data[i].state == PART_OPEN || p->list.data[i].state == PART_TAKEN ||
        p->list.data[i].state == PART_WAITING)
      return false;
  return true;
}

/* ---- dividing ---- */

/* Order of the ends of ranges; NULL is the end of everything. */
static int compare_ends(const char *a, const char *b) {
  if (!a || !b)
    return !a - !b;
  return token_compare_texts(a, b);
}

static bool lies_in(const struct part *x, const char *at) {
  return compare_ends(at, x->from) >= 0 && compare_ends(at, x->to) <= 0;
}

struct part *parts_insert(struct parts *p, size_t i) {
  vec_push(&p->list, (struct part){0});
  for (size_t j = p->list.length - 1; j > i; j--)
    p->list.data[j] = p->list.data[j - 1];
  p->list.data[i] = (struct part){.worker = PARTS_NOBODY};
  return &p->list.data[i];
}

/* Part number i ends there; the rest of it becomes number i + 1, with the same state.  Neither may be
 * empty, except that nothing may be before `at`. */
static void divide(struct parts *p, size_t i, const char *at) {
  struct part rest = p->list.data[i];
  rest.from = copy(at);
  rest.results = (struct results){0};
  p->list.data[i].to = copy(at);
  *parts_insert(p, i + 1) = rest;
}

void parts_remove(struct parts *p, size_t i) {
  part_free(&p->list.data[i]);
  for (; i + 1 < p->list.length; i++)
    p->list.data[i] = p->list.data[i + 1];
  p->list.length--;
}

bool parts_split(struct parts *p, int worker, const char *at) {
  size_t i = parts_find(p, worker);
  if (i == p->list.length || !lies_in(&p->list.data[i], at))
    return false;
  divide(p, i, at);
  p->list.data[i + 1].state = PART_OPEN;
  p->list.data[i + 1].worker = PARTS_NOBODY;
  return true;
}

void parts_return(struct parts *p, int worker) {
  size_t i = parts_find(p, worker);
  if (i == p->list.length)
    return;
  p->list.data[i].state = PART_OPEN;
  p->list.data[i].worker = PARTS_NOBODY;
}

void parts_keep(struct parts *p, const char *positions, int shard, int shards) {
  size_t last = 0;
  for (const char *end; (end = strchr(positions, '\n')); positions = end + 1) {
    struct str at = {0};
    str_append_bytes(&at, positions, (size_t)(end - positions));
    if (lies_in(&p->list.data[last], str_text(&at)))
      divide(p, last++, str_text(&at));
    str_free(&at);
  }
  for (size_t i = 0; i < p->list.length; i++)
    if ((int)(i % (size_t)shards) != shard - 1)
      p->list.data[i].state = PART_ELSEWHERE;
  p->sharded = true;
}

/* ---- what is done ---- */

/* Parts i and i + 1 become one. */
static void grow_together(struct parts *p, size_t i) {
  struct part *a = &p->list.data[i], *b = a + 1;
  results_join(&a->results, &b->results);
  text_free(a->to);
  a->to = b->to;
  b->to = NULL;
  parts_remove(p, i + 1);
}

void parts_set_done(struct parts *p, size_t i, struct results *r) {
  struct part *x = &p->list.data[i];
  x->state = PART_DONE;
  x->worker = PARTS_NOBODY;
  x->results = *r;
  *r = (struct results){0};
}

void parts_grow_together(struct parts *p) {
  for (size_t i = p->list.length; i-- > 1;)
    if (p->list.data[i].state == PART_DONE && p->list.data[i - 1].state == PART_DONE)
      grow_together(p, i - 1);
}

bool parts_done(struct parts *p, int worker, const char *at, bool goes_on, struct results *r) {
  size_t i = parts_find(p, worker);
  if (i == p->list.length || (at && !lies_in(&p->list.data[i], at)))
    return false;
  if (at) {
    divide(p, i, at);
    p->list.data[i + 1].state = goes_on ? PART_TAKEN : PART_OPEN;
    p->list.data[i + 1].worker = goes_on ? worker : PARTS_NOBODY;
  }
  parts_set_done(p, i, r);
  parts_grow_together(p);
  return true;
}

void parts_put_off(struct parts *p, const char *at) {
  for (size_t i = 0; i < p->list.length; i++)
    if (p->list.data[i].state == PART_OPEN && compare_ends(p->list.data[i].from, at) == 0)
      p->list.data[i].put_off++;
}

/* Its first decision, as a text. */
static bool begins_alike(const struct part *a, const struct part *b) {
  size_t length = strcspn(a->from, ".");
  return strcspn(b->from, ".") == length && strncmp(a->from, b->from, length) == 0;
}

size_t parts_count_put_off(const struct parts *p, bool *others) {
  const struct part *last = NULL;
  size_t count = 0;
  *others = false;
  for (size_t i = 0; i < p->list.length; i++) {
    const struct part *x = &p->list.data[i];
    *others |= !x->put_off && x->state != PART_DONE;
    if (!x->put_off || x->state == PART_DONE)
      continue;
    count += !last || !begins_alike(last, x);
    last = x;
  }
  return count;
}

bool parts_mark(struct parts *p, const char *from, const char *to, struct results *r) {
  size_t i = 0;
  while (i < p->list.length && compare_ends(p->list.data[i].to, from) <= 0)
    i++;
  if (i == p->list.length || p->list.data[i].state != PART_OPEN ||
      !lies_in(&p->list.data[i], from) || compare_ends(to, p->list.data[i].to) > 0)
    return false;
  if (compare_ends(p->list.data[i].from, from) < 0)
    divide(p, i++, from);
  if (compare_ends(to, p->list.data[i].to) < 0)
    divide(p, i, to);
  parts_set_done(p, i, r);
  parts_grow_together(p);
  return true;
}

void parts_collect(struct parts *p, struct results *out) {
  bool all = parts_all_done(p), first = true;
  *out = (struct results){.complete = all};
  for (size_t i = 0; i < p->list.length; i++) {
    struct part *x = &p->list.data[i];
    if (x->state != PART_DONE && !x->partial)
      continue;
    if (first)
      *out = x->results;
    else
      results_join(out, &x->results);
    x->results = (struct results){0};
    first = false;
  }
  out->complete &= all && !p->sharded;
  if (p->units && out->complete)
    out->estimate = out->executions;
  parts_free(p);
  p->sharded = false;
}
