/* What is to be tried: wakeup trees, and the sequences that turn races round. */
#include "explore/dpor_internal.h"
#include "explore/futile.h"
#include <string.h>

/* ---- trees ---- */

struct dpor_branch *dpor_new_branch(struct dpor *d, struct dpor_branch value) {
  struct dpor_branch *b = d->unused;
  if (b)
    d->unused = b->next;
  else
    b = mem_alloc(sizeof *b);
  d->planned++;
  *b = value;
  return b;
}

/* Sequences can be as long as executions, too long for a recursion along them. */
void dpor_drop_branches(struct dpor *d, struct dpor_branch *b) {
  while (b) {
    struct dpor_branch *next = b->next, **end = &b->children;
    while (*end)
      end = &(*end)->next;
    *end = next;
    next = b->children;
    b->next = d->unused;
    d->unused = b;
    d->planned--;
    b = next;
  }
}

void dpor_drop_plan(struct dpor *d) {
  dpor_drop_branches(d, d->plan);
  d->plan = NULL;
}

void dpor_skip(struct dpor *d) {
  struct dpor_branch *b = d->plan;
  d->plan = b->next;
  b->next = NULL;
  dpor_drop_branches(d, b);
}

/* ---- sequences ---- */

/* What should happen instead: events that do not depend on the first of a race, then its second. */
struct item {
  uint32_t process, position;
  struct operation op;
  bool taken; /* no longer part of the sequence */
};
struct sequence {
  VEC(struct item) items; /* the last one is the second event of the race */
  size_t begin;           /* those before it are taken */
  size_t between;         /* so many happened before the second event */
};

/* Must x come before the last item of the sequence, the second event of the race? */
static bool leads_to(const struct dpor *d, const struct item *x, const struct item *last) {
  return x->process == last->process || x->position + 1 == d->events.data[last->position].after ||
         !dpor_commute(d, &x->op, &last->op);
}

/* Can item number n come first? */
static bool is_initial(const struct dpor *d, const struct sequence *v, size_t n) {
  const struct item *items = v->items.data;
  bool last = n + 1 == v->items.length;
  for (size_t i = v->begin; i < n; i++)
    if (!items[i].taken && (last ? leads_to(d, &items[i], &items[n])
                                 : dpor_before(d, items[i].position, items[n].position)))
      return false;
  return true;
}

static size_t find_process(const struct sequence *v, uint32_t process) {
  const struct item *items = v->items.data;
  size_t n = v->begin;
  while (n < v->items.length && (items[n].process != process || items[n].taken))
    n++;
  return n;
}

static void take_item(struct sequence *v, size_t n) {
  v->items.data[n].taken = true;
  while (v->begin < v->items.length && v->items.data[v->begin].taken)
    v->begin++;
}

/* Does a schedule that begins with this operation of the process lead to the sequence as well?
 * *which: its item, or the length of v. */
static bool is_weak_initial(const struct dpor *d, const struct sequence *v, uint32_t process,
                            const struct operation *o, size_t *which) {
  *which = find_process(v, process);
  if (*which < v->items.length)
    return is_initial(d, v, *which);
  struct operation still = *o;
  for (size_t i = v->begin; i < v->items.length; i++) {
    const struct item *x = &v->items.data[i];
    if (x->taken)
      continue;
    if (!dpor_commute(d, &still, &x->op))
      return false;
    operation_pass(&still, &x->op);
  }
  return true;
}

/* What can begin with a sleeper was explored behind that.  Who is barred cannot come first, but need not
 * come at all. */
static bool sleeps_already(const struct dpor *d, const struct dpor_event *e,
                           const struct sequence *v) {
  size_t which;
  for (uint32_t i = e->sleep_begin; i < e->sleep_end; i++) {
    const struct dpor_sleeper *s = &d->sleepers.data[i];
    if (is_weak_initial(d, v, s->process, &s->op, &which) &&
        (!s->barred || which < v->items.length))
      return true;
  }
  return false;
}

static struct dpor_branch *make_chain(struct dpor *d, const struct sequence *v) {
  struct dpor_branch *chain = NULL;
  for (size_t i = v->items.length; i-- > v->begin;) {
    const struct item *x = &v->items.data[i];
    if (!x->taken)
      chain = dpor_new_branch(
          d, (struct dpor_branch){.process = x->process, .op = x->op, .children = chain});
  }
  return chain;
}

/* What is left of the sequence, when that has happened. */
static void pass(struct sequence *v, const struct operation *happened) {
  for (size_t i = v->begin; happened->drain && i < v->items.length; i++)
    operation_pass(&v->items.data[i].op, happened);
}

/* The branch for this item among those from *siblings on, or where there is none yet.  One operation that
 * ends in several ways has a branch for each of them: what follows one says nothing about another. */
static struct dpor_branch **find_way(struct dpor_branch **siblings, const struct item *x) {
  while (*siblings && ((*siblings)->process != x->process || (*siblings)->op.way != x->op.way))
    siblings = &(*siblings)->next;
  return siblings;
}

/* Are items that happened after the second event of the race no matter for whether number n comes first? */
static bool is_of_race(const struct sequence *v, size_t n) {
  return n < v->between || n + 1 == v->items.length;
}

/* Returns whether a branch among the siblings begins with an event that can come first in every sequence that turns the
 * race round. */
static bool insert(struct dpor *d, struct dpor_branch **siblings, struct sequence *v) {
  struct dpor_branch **end = siblings;
  bool settled = is_of_race(v, 0), first = true;
  while (*end) {
    size_t which;
    if (!is_weak_initial(d, v, (*end)->process, &(*end)->op, &which)) {
      end = &(*end)->next;
      continue;
    }
    if (first)
      settled = is_of_race(v, which);
    first = false;
    if (which < v->items.length) {
      const struct item *x = &v->items.data[which];
      take_item(v, which);
      end = find_way(end, x);
      if (!*end) {
        *end = dpor_new_branch(
            d,
            (struct dpor_branch){.process = x->process, .op = x->op, .children = make_chain(d, v)});
        return settled;
      }
    }
    if (!(*end)->children)
      return settled; /* the tree leads there already */
    pass(v, &(*end)->op);
    end = &(*end)->children;
  }
  *end = make_chain(d, v);
  return settled;
}

/* Event number i as part of what should happen instead of event `first`.  If the store that it reads is not there yet
 * then, the buffer answers. */
static struct item item_of(const struct dpor *d, uint32_t first, uint32_t i) {
  const struct dpor_event *e = &d->events.data[i];
  struct item x = {e->process, i, e->op, false};
  if (e->answer > first && dpor_before(d, first, e->answer - 1))
    x.op.store = d->events.data[e->answer - 1].op.store;
  return x;
}

/* The bytes that two accesses have in common, of the later one as it was before the earlier one. */
static void undo(const struct operation *store, const struct operation *o, uint64_t found[2]) {
  uintptr_t begin = store->address > o->address ? store->address : o->address;
  uintptr_t end = store->address + store->size, end_of_o = o->address + o->size;
  if (end > end_of_o)
    end = end_of_o;
  if (begin < end)
    memcpy((char *)found + (begin - o->address),
           (const char *)store->before + (begin - store->address), end - begin);
}

/* Would what the look at that position has found be there still, if the second event of the race came before the
 * first? */
static bool still_there(const struct dpor *d, const struct dpor_race *r, uint32_t look) {
  const struct operation *o = &d->events.data[look].op;
  for (uint32_t i = look + 1; i < r->second; i++) {
    const struct operation *x = &d->events.data[i].op;
    if (x->kind == OPERATION_WRITE && x->address < o->address + o->size &&
        o->address < x->address + x->size && !dpor_before(d, r->first, i))
      return false;
  }
  return true;
}

/* Is what was looked at before the second event of the race the beginning of that round? */
static bool ends_round(const struct dpor *d, const struct dpor_race *r,
                       const struct futile_round *round) {
  uint32_t at = r->second;
  for (uint32_t n = 1; n < round->looks; n++) {
    do {
      if (!d->events.data[at].before)
        return false;
      at = d->events.data[at].before - 1;
    } while (d->events.data[at].op.kind == OPERATION_FENCE);
    if (d->events.data[at].op.kind != OPERATION_READ || !still_there(d, r, at))
      return false;
  }
  return d->events.data[at].op.state == round->begin;
}

/* The second event of the race as it is where it comes earlier: it finds what was there before the first event, and
 * before all that happened after that.  *futile: so it leads nowhere. */
static struct item second_of(const struct dpor *d, const struct dpor_race *r, bool *futile) {
  struct item x = item_of(d, r->first, r->second);
  bool changes = x.op.change > OPERATION_CHANGE_NEVER;
  bool looks = d->futile && x.op.state && !x.op.store && !x.op.mixed &&
               d->events.data[r->first].op.kind == OPERATION_WRITE;
  *futile = false;
  if (!changes && !looks)
    return x;
  uint64_t found[2] = {x.op.before[0], x.op.before[1]};
  for (uint32_t i = r->second; i-- > r->first;) {
    const struct operation *o = &d->events.data[i].op;
    if (o->kind != OPERATION_WRITE || !dpor_before(d, r->first, i))
      continue;
    undo(o, &x.op, found);
    looks &= o->thread != x.op.thread; /* otherwise its own buffer may answer */
  }
  const struct futile_round *round = looks ? futile_find(d->futile, &x.op, found) : NULL;
  *futile = round && ends_round(d, r, round);
  if (changes)
    x.op.kind = operation_stores(&x.op, found) ? OPERATION_WRITE : OPERATION_READ;
  return x;
}

static void make_sequence(const struct dpor *d, const struct dpor_race *r,
                          const struct item *second, struct sequence *v) {
  v->items.length = v->begin = v->between = 0;
  for (uint32_t i = r->first + 1; i < d->events.length; i++)
    if (!dpor_before(d, r->first, i)) {
      v->between += i < r->second;
      vec_push(&v->items, item_of(d, r->first, i));
    }
  vec_push(&v->items, *second);
}

/* Of what the second event needs, the first of each process: one of these comes first. */
static void make_beginnings(const struct dpor *d, const struct dpor_race *r,
                            const struct item *second, struct sequence *v) {
  v->items.length = v->begin = 0;
  for (uint32_t i = r->first + 1; i < r->second; i++)
    if (!dpor_before(d, r->first, i) && dpor_before(d, i, r->second) &&
        find_process(v, d->events.data[i].process) == v->items.length)
      vec_push(&v->items, item_of(d, r->first, i));
  if (find_process(v, second->process) == v->items.length)
    vec_push(&v->items, *second);
}

static bool begins_with(const struct dpor *d, const struct sequence *v, uint32_t process) {
  size_t n = find_process(v, process);
  for (size_t i = 0; i < n && n < v->items.length; i++)
    if (dpor_before(d, v->items.data[i].position, v->items.data[n].position))
      return false;
  return n < v->items.length;
}

/* A whole sequence leads to an execution that nobody has to give up, but it can be as long as an execution, and there
 * can be as many of them as races.  When they take too much memory only one event is planned that the sequence can
 * begin with, unless one is or was tried already: as in the source sets of the same paper. */
static void plan_beginning(struct dpor *d, struct dpor_event *first, const struct sequence *v) {
  for (uint32_t i = first->sleep_begin; i < first->sleep_end; i++)
    if (begins_with(d, v, d->sleepers.data[i].process))
      return;
  struct dpor_branch **end = &first->instead;
  for (; *end; end = &(*end)->next)
    if (begins_with(d, v, (*end)->process))
      return;
  const struct item *x = &v->items.data[0];
  *end = dpor_new_branch(d, (struct dpor_branch){.process = x->process, .op = x->op});
}

void dpor_turn_round(struct dpor *d, struct dpor_race *r) {
  static struct sequence v; /* scratch */
  struct dpor_event *first = &d->events.data[r->first];
  bool futile;
  if (r->settled)
    return;
  struct item second = second_of(d, r, &futile);
  r->settled = futile;
  if (futile)
    return;
  if (d->pm && second.op.locked) /* where it comes earlier it may store */
    second.op.kind = OPERATION_WRITE;
  if (d->planned_whole && r->first >= d->root &&
      d->planned + (d->events.length - r->first) > d->planned_whole) {
    make_beginnings(d, r, &second, &v);
    plan_beginning(d, first, &v);
    r->settled = true;
    return;
  }
  make_sequence(d, r, &second, &v);
  if (sleeps_already(d, first, &v))
    return;
  r->settled = r->first < d->root || insert(d, &first->instead, &v);
  if (r->first < d->root)
    d->wanted.data[r->first] = true;
}
