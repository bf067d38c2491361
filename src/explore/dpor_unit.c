#include "explore/dpor_unit.h"
#include "base/check.h"
#include <stdlib.h>
#include <string.h>

#define SEPARATOR '.'

/* ---- numbers as text ---- */

/* By hand: a unit has thousands of them. */
static void put(struct str *out, uint64_t n) {
  char digits[2 + 2 * sizeof n];
  size_t at = sizeof digits;
  char before = out->length ? out->data[out->length - 1] : ';';
  do
    digits[--at] = "0123456789abcdef"[n % 16];
  while (n /= 16);
  if (!strchr("; \n|", before))
    digits[--at] = SEPARATOR;
  str_append_bytes(out, digits + at, sizeof digits - at);
}

struct cursor {
  const char *at;
  bool bad;
};

static uint64_t take(struct cursor *c) {
  char *end;
  uint64_t n = strtoull(c->at, &end, 16);
  c->bad |= end == c->at;
  c->at = *end == SEPARATOR ? end + 1 : end;
  return n;
}

/* ---- operations ---- */

/* Not written: what is known only of an operation that has happened (learns, after, before, state; the round of a
 * barrier, which is another one where it comes earlier) and where it stands in the source.  A plan does not need it, and
 * events of the prefix are executed again. */
enum {
  DRAIN = 1,
  DRAINED = 2,
  LOCKED = 4,
  BEGINS = 8,
  MIXED = 16,
  BLIND = 32,
  SERIAL = 64,
  PATIENT = 128
};

static void put_operation(struct str *out, const struct operation *o) {
  put(out, o->kind);
  put(out, o->lock);
  put(out,
      (uint64_t)(o->drain * DRAIN + o->drained * DRAINED + o->locked * LOCKED + o->begins * BEGINS +
                 o->mixed * MIXED + o->blind * BLIND + o->serial * SERIAL + o->patient * PATIENT));
  put(out, o->blind ? o->change : 0);
  put(out, o->order);
  put(out, o->ways);
  put(out, o->way);
  put(out, o->thread);
  put(out, o->machine);
  put(out, o->asks);
  put(out, o->size);
  put(out, o->joins);
  put(out, o->store);
  put(out, o->address);
  put(out, o->block);
  put(out, o->also);
}

static struct operation take_operation(struct cursor *c) {
  struct operation o = {.kind = (uint8_t)take(c)};
  o.lock = (uint8_t)take(c);
  uint64_t flags = take(c);
  o.drain = flags & DRAIN;
  o.drained = flags & DRAINED;
  o.locked = flags & LOCKED;
  o.begins = flags & BEGINS;
  o.mixed = flags & MIXED;
  o.blind = flags & BLIND;
  o.serial = flags & SERIAL;
  o.patient = flags & PATIENT;
  o.change = (uint8_t)take(c);
  o.order = (uint8_t)take(c);
  o.ways = (uint8_t)take(c);
  o.way = (uint8_t)take(c);
  o.thread = (uint16_t)take(c);
  o.machine = (uint16_t)take(c);
  o.asks = (uint16_t)take(c);
  o.size = (uint32_t)take(c);
  o.joins = (uint32_t)take(c);
  o.store = (uint32_t)take(c);
  o.address = take(c);
  o.block = take(c);
  o.also = take(c);
  return o;
}

/* ---- nodes ---- */

static uint32_t siblings(const struct dpor_branch *b) {
  uint32_t count = 0;
  for (; b; b = b->next)
    count++;
  return count;
}

/* A wakeup tree: the number of siblings, and for each its operation and the tree behind it.  The last sibling's is
 * written without recursion, here and in take_branches: sequences are as long as executions. */
static void put_branches(struct str *out, const struct dpor_branch *b) {
  put(out, siblings(b));
  while (b) {
    put(out, b->tried);
    put_operation(out, &b->op);
    if (b->next)
      put_branches(out, b->children);
    else
      put(out, siblings(b->children));
    b = b->next ? b->next : b->children;
  }
}

static struct dpor_branch *take_branches(struct dpor *d, struct cursor *c) {
  struct dpor_branch *first = NULL, **end = &first;
  for (uint64_t count = take(c); count && !c->bad;) {
    struct dpor_branch b = {.tried = (uint32_t)take(c)};
    b.op = take_operation(c);
    b.process = dpor_process(&b.op);
    *end = dpor_new_branch(d, b);
    if (count > 1)
      (*end)->children = take_branches(d, c);
    end = count > 1 ? &(*end)->next : &(*end)->children;
    count = count > 1 ? count - 1 : take(c);
  }
  return first;
}

/* A sleep set; `also`, if not NULL, is one more that is barred. */
static void put_sleepers(const struct dpor *d, struct str *out, uint32_t begin, uint32_t end,
                         const struct dpor_event *also) {
  put(out, end - begin + (also != NULL));
  for (uint32_t i = begin; i < end; i++) {
    put(out, d->sleepers.data[i].barred);
    put_operation(out, &d->sleepers.data[i].op);
  }
  if (!also)
    return;
  put(out, true);
  put_operation(out, &also->op);
}

static void put_node(const struct dpor *d, struct str *out, const struct dpor_event *e) {
  put(out, e->process);
  put(out, e->op.way);
  put(out, e->tried);
  put(out, (e->failed << 1) | e->planned);
  put(out, e->bars);
  put_sleepers(d, out, e->sleep_own, e->sleep_end, NULL);
  put_branches(out, e->instead);
}

/* The last node of a unit, which has no event yet. */
static void put_last(const struct dpor *d, struct str *out, bool bars, uint32_t begin, uint32_t end,
                     const struct dpor_event *also, const struct dpor_branch *plan) {
  for (int i = 0; i < 4; i++)
    put(out, 0);
  put(out, bars);
  put_sleepers(d, out, begin, end, also);
  put_branches(out, plan);
}

static struct dpor_given take_node(struct dpor *d, struct cursor *c) {
  struct dpor_given g = {.process = (uint32_t)take(c)};
  g.way = (uint32_t)take(c);
  g.tried = (uint32_t)take(c);
  uint32_t planned = (uint32_t)take(c);
  g.planned = planned & 1;
  g.failed = planned >> 1;
  g.bars = take(c);
  for (uint64_t count = take(c); count && !c->bad; count--) {
    struct dpor_sleeper s = {.barred = take(c)};
    s.op = take_operation(c);
    s.process = dpor_process(&s.op);
    vec_push(&g.sleepers, s);
  }
  g.alternatives = take_branches(d, c);
  return g;
}

/* ---- units ---- */

void dpor_forget_given(struct dpor *d) {
  for (size_t i = 0; i < d->given.length; i++) {
    vec_free(&d->given.data[i].sleepers);
    dpor_drop_branches(d, d->given.data[i].alternatives);
  }
  d->given.length = d->given_count = 0;
}

void dpor_enter_given(struct dpor *d) {
  size_t position = d->events.length;
  if (position >= d->given_count)
    return;
  struct dpor_given *g = &d->given.data[position];
  for (size_t i = 0; i < g->sleepers.length; i++)
    vec_push(&d->sleepers, g->sleepers.data[i]);
  d->bars = g->bars;
  for (size_t i = d->sleep_begin; i < d->sleepers.length && d->bars; i++)
    d->sleepers.data[i].barred = true;
  if (position + 1 < d->given_count)
    return;
  CHECK(!d->plan, "a unit ends where something else is planned");
  d->plan = g->alternatives;
  g->alternatives = NULL;
  d->given_count = 0;
}

bool dpor_load(struct dpor *d, const char *unit) {
  dpor_free(d);
  struct cursor c = {.at = unit};
  d->root = (uint32_t)take(&c);
  while (*c.at == ';' && !c.bad) {
    c.at++;
    vec_push(&d->given, take_node(d, &c));
  }
  for (uint32_t i = 0; i < d->root; i++)
    vec_push(&d->wanted, false);
  if (c.bad || *c.at || d->given.length < d->root + 1)
    return false;
  d->given_count = (uint32_t)d->given.length;
  dpor_enter_given(d);
  return true;
}

static bool has_other_way(const struct dpor_event *e) {
  return e->op.ways & ~e->tried;
}

bool dpor_divide(struct dpor *d, struct str *lines) {
  uint32_t at = d->root;
  while (at < d->events.length && !d->events.data[at].instead &&
         !has_other_way(&d->events.data[at]))
    at++;
  if (at == d->events.length || has_other_way(&d->events.data[at]))
    return false;
  CHECK(d->wanted.length == d->root, "a unit begins at %u, but %zu operations are told about",
        d->root, d->wanted.length);
  dpor_drop_branches(d, d->events.data[at].instead);
  d->events.data[at].instead = NULL;
  for (uint32_t i = d->root; i <= at; i++) {
    const struct dpor_event *e = &d->events.data[i];
    put_node(d, lines, e);
    str_append_char(lines, ' ');
    put_last(d, lines, true, e->sleep_own, e->sleep_end, e, NULL);
    str_append_char(lines, '\n');
    vec_push(&d->wanted, i == at);
  }
  d->root = at + 1;
  return true;
}

void dpor_tell_rest(const struct dpor *d, struct str *out) {
  for (size_t i = d->root; i < d->events.length; i++) {
    put_node(d, out, &d->events.data[i]);
    str_append_char(out, ';');
  }
  put_last(d, out, d->bars, d->sleep_own, (uint32_t)d->sleepers.length, NULL, d->plan);
}
