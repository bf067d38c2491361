/* What is to be tried: wakeup trees, and the sequences of events that reverse races (section 6 of the paper in dpor.h;
 * weak initials, insertion). */
#include "base/check.h"
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

void dpor_done_branch(struct dpor *d, struct dpor_branch *b) {
  CHECK(d->planned > 0, "a branch that was never planned");
  d->planned--;
  b->next = d->unused;
  d->unused = b;
}

/* Sequences can be as long as executions, too long for a recursion along them. */
void dpor_drop_branches(struct dpor *d, struct dpor_branch *b) {
  while (b) {
    struct dpor_branch *next = b->next, **end = &b->children;
    while (*end)
      end = &(*end)->next;
    *end = next;
    next = b->children;
    dpor_done_branch(d, b);
    b = next;
  }
}

void dpor_drop_plan(struct dpor *d) {
  dpor_drop_branches(d, d->plan);
  d->plan = NULL;
}

void dpor_skip(struct dpor *d) {
  struct dpor_branch *b = d->plan;
  CHECK(b, "nothing is planned that could be left out");
  d->plan = b->next;
  b->next = NULL;
  dpor_drop_branches(d, b);
}

/* ---- sequences ---- */

/* What should happen in place of the first event of a race: the events after it that do not depend on it (notdep in the
 * paper), then the second event of the race. */
struct item {
  uint32_t process, position;
  struct operation op;
  bool taken; /* no longer part of the sequence */
};
struct sequence {
  VEC(struct item) items; /* the last one is the second event of the race */
  size_t begin;           /* all items before this one are taken */
  size_t between;         /* so many of them happened before the second event */
};

/* Must x come before the last item of the sequence, the second event of the race? */
static bool leads_to(const struct dpor *d, const struct item *x, const struct item *last) {
  return x->process == last->process || x->position + 1 == d->events.data[last->position].after ||
         dpor_lets_go(d, x->position, last->position) || !dpor_commute(d, &x->op, &last->op);
}

/* Can item number n come first in the sequence (an initial)? */
static bool is_initial(const struct dpor *d, const struct sequence *v, size_t n) {
  const struct item *items = v->items.data;
  bool last = n + 1 == v->items.length;
  for (size_t i = v->begin; i < n; i++)
    if (!items[i].taken && (last ? leads_to(d, &items[i], &items[n])
                                 : dpor_before(d, items[i].position, items[n].position)))
      return false;
  return true;
}

/* The first item of the process that is left; the length of v: there is none. */
static size_t find_process(const struct sequence *v, uint32_t process) {
  const struct item *items = v->items.data;
  size_t n = v->begin;
  while (n < v->items.length && (items[n].process != process || items[n].taken))
    n++;
  return n;
}

static void take_item(struct sequence *v, size_t n) {
  CHECK(n < v->items.length && !v->items.data[n].taken, "item %zu of %zu is gone", n,
        v->items.length);
  v->items.data[n].taken = true;
  while (v->begin < v->items.length && v->items.data[v->begin].taken)
    v->begin++;
}

/* An operation that is planned, or sleeps: which round of a barrier it belongs to is open. */
static struct operation to_come(const struct operation *o) {
  struct operation next = *o;
  next.round = 0;
  return next;
}

/* Is there a schedule equivalent to the sequence, perhaps followed by something, that begins with this operation of the
 * process (a weak initial)?  *which: its item, or the length of v if it has none. */
static bool is_weak_initial(const struct dpor *d, const struct sequence *v, uint32_t process,
                            const struct operation *o, size_t *which) {
  *which = find_process(v, process);
  if (*which < v->items.length)
    return is_initial(d, v, *which);
  struct operation still = to_come(o);
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

/* A sequence with a weak initial in the sleep set was explored behind that.  One that is barred was not explored: it
 * only counts if it is an item, because then the sequence belongs to the other unit. */
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

/* What is left of the sequence as a tree without branches. */
static struct dpor_branch *make_chain(struct dpor *d, const struct sequence *v) {
  struct dpor_branch *chain = NULL;
  for (size_t i = v->items.length; i-- > v->begin;) {
    const struct item *x = &v->items.data[i];
    if (!x->taken)
      chain = dpor_new_branch(
          d, (struct dpor_branch){.process = x->process, .op = to_come(&x->op), .children = chain});
  }
  return chain;
}

/* Adjust what is left of the sequence to that operation having happened before it; it was item `which`, or none. */
static void pass(struct sequence *v, const struct operation *happened, size_t which) {
  for (size_t i = v->begin; happened->drain && i < v->items.length; i++)
    operation_pass(&v->items.data[i].op, happened);
  bool arrives = happened->lock == OPERATION_LOCK_ARRIVE;
  for (size_t i = v->begin; arrives && i < which && i < v->items.length; i++) {
    struct operation *o = &v->items.data[i].op;
    if (v->items.data[i].taken || o->lock != OPERATION_LOCK_ARRIVE ||
        o->address != happened->address)
      continue;
    CHECK(!o->round || o->lacks > 1, "more arrivals than round %u needs", o->round);
    o->lacks = (uint16_t)(o->lacks - (o->round != 0));
  }
}

/* The branch for this item among those from *siblings on, or the place for one.  An operation that ends in several ways
 * has a branch for each of them, because what follows one says nothing about another. */
static struct dpor_branch **find_way(struct dpor_branch **siblings, const struct item *x) {
  while (*siblings && ((*siblings)->process != x->process || (*siblings)->op.way != x->op.way))
    siblings = &(*siblings)->next;
  return siblings;
}

/* Can item number n come first whatever has happened after the second event of the race? */
static bool is_of_race(const struct sequence *v, size_t n) {
  return n < v->between || n + 1 == v->items.length;
}

/* Insert the sequence into the wakeup tree.  Returns whether the race is settled: whether the branch that it follows
 * begins with an event that can come first in every sequence that reverses the race. */
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
        *end = dpor_new_branch(d, (struct dpor_branch){.process = x->process,
                                                       .op = to_come(&x->op),
                                                       .children = make_chain(d, v)});
        return settled;
      }
    }
    if (!(*end)->children)
      return settled; /* the tree leads there already */
    pass(v, &(*end)->op, which);
    end = &(*end)->children;
  }
  *end = make_chain(d, v);
  return settled;
}

/* Event number i as an item of what should happen in place of event `first`.  If the store that a load reads has not
 * left its thread's buffer then, the buffer answers; a round of a barrier lacks more if others have not arrived. */
static struct item item_of(const struct dpor *d, uint32_t first, uint32_t i) {
  const struct dpor_event *e = &d->events.data[i];
  struct item x = {e->process, i, e->op, false};
  if (e->answer > first && dpor_before(d, first, e->answer - 1))
    x.op.store = d->events.data[e->answer - 1].op.store;
  if (e->op.lock == OPERATION_LOCK_ARRIVE && e->op.round)
    x.op.lacks = (uint16_t)(x.op.lacks + dpor_missed(d, first, i));
  return x;
}

/* found: what the access o finds.  Replace the bytes that the store has changed by what was there before it.  False: that
 * is not known. */
static bool undo(const struct operation *store, const struct operation *o, uint64_t found[2]) {
  uintptr_t begin = store->address > o->address ? store->address : o->address;
  uintptr_t end = store->address + store->size, end_of_o = o->address + o->size;
  if (end > end_of_o)
    end = end_of_o;
  if (begin >= end || store->change == OPERATION_CHANGE_NEVER)
    return true;
  if (!store->blind) {
    memcpy((char *)found + (begin - o->address),
           (const char *)store->before + (begin - store->address), end - begin);
    return true;
  }
  /* Updates like it that came after it may stay. */
  uint64_t value = 0;
  if (begin > store->address)
    return false; /* what it carries over from the bytes below is not known */
  memcpy(&value, (char *)found + (begin - o->address), end - begin);
  value = operation_take_back(store, value);
  memcpy((char *)found + (begin - o->address), &value, end - begin);
  return true;
}

/* Would the load at that position still have found the same when the second event of the race comes, if that is before
 * the first? */
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

/* Are the loads of its thread before the second event of the race the beginning of that round (futile.h), of which the
 * second event would be the last look? */
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

/* The second event of the race as it would be where it comes before the first: it finds what was there before the first
 * event and before everything that happens after that.  So a compare-and-swap may store or not.  *futile: it would be
 * the last look of a waiting loop's round that changes nothing, and need not be tried (futile.h). */
static struct item second_of(const struct dpor *d, const struct dpor_race *r, bool *futile) {
  struct item x = item_of(d, r->first, r->second);
  bool changes = x.op.change > OPERATION_CHANGE_NEVER;
  bool looks = d->futile && x.op.state && !x.op.store && !x.op.mixed &&
               d->events.data[r->first].op.kind == OPERATION_WRITE;
  *futile = false;
  if (!changes && !looks)
    return x;
  uint64_t found[2] = {x.op.before[0], x.op.before[1]};
  bool known = true;
  for (uint32_t i = r->second; i-- > r->first;) {
    const struct operation *o = &d->events.data[i].op;
    if (o->kind != OPERATION_WRITE || !dpor_before(d, r->first, i))
      continue;
    known &= undo(o, &x.op, found);
    looks &= o->thread != x.op.thread; /* otherwise its own buffer may answer */
  }
  const struct futile_round *round = looks && known ? futile_find(d->futile, &x.op, found) : NULL;
  *futile = round && ends_round(d, r, round);
  if (changes)
    x.op.kind = !known || operation_stores(&x.op, found) ? OPERATION_WRITE : OPERATION_READ;
  return x;
}

/* The second event of a race, as the last item of the sequence: if both are arrivals it takes the place of the first in
 * that round of the barrier. */
static void settle_round(const struct dpor *d, const struct dpor_race *r, struct sequence *v) {
  struct operation *o = &vec_last(&v->items).op;
  const struct operation *first = &d->events.data[r->first].op;
  if (o->lock != OPERATION_LOCK_ARRIVE)
    return;
  bool replaces = first->lock == OPERATION_LOCK_ARRIVE && first->address == o->address;
  o->round = replaces ? first->round : 0;
  o->lacks = first->lacks;
  for (size_t i = 0; o->round && i + 1 < v->items.length; i++)
    o->lacks = (uint16_t)(o->lacks - operations_meet(&v->items.data[i].op, o));
}

/* The sequence that reverses a race. */
static void make_sequence(const struct dpor *d, const struct dpor_race *r,
                          const struct item *second, struct sequence *v) {
  v->items.length = v->begin = v->between = 0;
  for (uint32_t i = r->first + 1; i < d->events.length; i++)
    if (!dpor_before(d, r->first, i)) {
      v->between += i < r->second;
      vec_push(&v->items, item_of(d, r->first, i));
    }
  vec_push(&v->items, *second);
  settle_round(d, r, v);
}

/* Only the first event of each process among those that happen before the second event of the race, and that one: a
 * sequence that reverses the race begins with one of these. */
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

/* Can the sequence begin with an item of that process? */
static bool begins_with(const struct dpor *d, const struct sequence *v, uint32_t process) {
  size_t n = find_process(v, process);
  for (size_t i = 0; i < n && n < v->items.length; i++)
    if (dpor_before(d, v->items.data[i].position, v->items.data[n].position))
      return false;
  return n < v->items.length;
}

/* Source sets instead of wakeup trees (dpor.beginnings): plan one event that the sequence can begin with, unless one is
 * planned or was explored.
 *
 * A whole sequence leads to an execution that never has to be given up, but it can be as long as an execution, and
 * there can be as many of them as races; and where executions are joined (joins.h) no sequence is known of what was not
 * run. An operation in the sleep set was then explored behind a single planned event, not with the whole sequence that
 * a race asked for.  So being a weak initial is not enough for it: it must be an initial of the sequence itself.  That
 * holds from the first time on and in all parts of the search, which is why `beginnings` is never cleared. */
static void plan_beginning(struct dpor *d, uint32_t position, const struct sequence *v) {
  struct dpor_event *first = &d->events.data[position];
  for (uint32_t i = first->sleep_begin; i < first->sleep_end; i++)
    if (begins_with(d, v, d->sleepers.data[i].process))
      return;
  if (position < d->root) {
    d->wanted.data[position] = true;
    return;
  }
  struct dpor_branch **end = &first->instead;
  for (; *end; end = &(*end)->next)
    if (begins_with(d, v, (*end)->process))
      return;
  CHECK(v->items.length > 0, "a race that nothing turns round");
  const struct item *x = &v->items.data[0];
  *end = dpor_new_branch(d, (struct dpor_branch){.process = x->process, .op = x->op});
}

void dpor_turn_round(struct dpor *d, struct dpor_race *r) {
  static struct sequence v; /* scratch */
  struct dpor_event *first = &d->events.data[r->first];
  bool futile;
  CHECK(r->first < r->second && r->second < d->events.length, "a race of %u and %u among %zu",
        r->first, r->second, d->events.length);
  if (r->settled)
    return;
  struct item second = second_of(d, r, &futile);
  r->settled = futile;
  if (futile)
    return;
  if (d->pm &&
      second.op.locked) /* where it comes earlier it may store: what is there is not known for pm */
    second.op.kind = OPERATION_WRITE;
  size_t length = d->events.length - r->first;
  d->beginnings |= d->planned_whole && d->planned + length > d->planned_whole;
  if (d->beginnings) {
    make_beginnings(d, r, &second, &v);
    plan_beginning(d, r->first, &v);
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

/* ---- what was not run ---- */

/* Is an operation of the process planned, or was one explored, in place of event `first`? */
static bool is_tried(const struct dpor *d, const struct dpor_event *first, uint32_t process) {
  for (uint32_t i = first->sleep_begin; i < first->sleep_end; i++)
    if (d->sleepers.data[i].process == process)
      return true;
  for (const struct dpor_branch *b = first->instead; b; b = b->next)
    if (b->process == process)
      return true;
  return false;
}

/* Plan whatever the process does next in place of event `first`, if it can go on there (patient).  Only the process is
 * known, so the operation is one that commutes with nothing. */
static void plan_process(struct dpor *d, struct dpor_event *first, uint32_t process) {
  struct dpor_branch **end = &first->instead;
  while (*end)
    end = &(*end)->next;
  *end = dpor_new_branch(d, (struct dpor_branch){.process = process,
                                                 .op = {.kind = OPERATION_FREE,
                                                        .thread = (uint16_t)(process / 2),
                                                        .drain = process % 2,
                                                        .drained = true,
                                                        .patient = true}});
}

/* Reverse the race of event `position` with the foreseen operation, which is the newest event for the moment.  A
 * sequence that does begins with one of the events between that do not depend on the first, if there are any, and any
 * of them that can come first will do.  Otherwise it begins with something that was not run, of a process that has done
 * nothing since. */
static void foresee_race(struct dpor *d, uint32_t position, const dpor_processes *processes) {
  static struct sequence v; /* scratch */
  struct dpor_event *first = &d->events.data[position];
  v.items.length = v.begin = v.between = 0;
  for (uint32_t i = position + 1; i + 1 < d->events.length; i++)
    if (!dpor_before(d, position, i))
      vec_push(&v.items, item_of(d, position, i));
  if (v.items.length) {
    plan_beginning(d, position, &v);
    return;
  }
  if (position < d->root) {
    d->wanted.data[position] = true;
    return;
  }
  for (size_t i = 0; i < processes->length; i++) {
    uint32_t p = processes->data[i];
    uint32_t newest = p < d->newest.length ? d->newest.data[p] : 0;
    bool since = newest > position + 1 && newest != d->events.length;
    if (newest == d->events.length) /* the one that was foreseen */
      since = vec_last(&d->events).before > position + 1;
    if (p != first->process && !since && !is_tried(d, first, p))
      plan_process(d, first, p);
  }
}

void dpor_foresee(struct dpor *d, const struct operation *o, const dpor_processes *processes) {
  size_t known = d->races.length;
  struct dpor_done done = d->next_done;
  dpor_append(d, o, o->after);
  for (size_t i = known; i < d->races.length; i++)
    foresee_race(d, d->races.data[i].first, processes);
  dpor_pop(d);
  d->next_done = done;
}
