#include "analysis/analysis.h"
#include "base/check.h"
#include "base/hash.h"

/* ---- what makes a line safe ---- */

static uint32_t *bucket_of(const struct race *r, int level, uintptr_t line) {
  return &r->buckets.data[hash_u64((uint64_t)level + 1, line) & (r->buckets.length - 1)];
}

static void link_safe(struct race *r, uint32_t index) {
  struct race_safe *s = &r->safe.data[index];
  uint32_t *bucket = bucket_of(r, s->level, s->line);
  s->next = *bucket;
  *bucket = index + 1;
}

static void grow_buckets(struct race *r) {
  size_t count = r->buckets.length ? r->buckets.length * 4 : 256;
  vec_reserve(&r->buckets, count);
  r->buckets.length = count;
  for (size_t i = 0; i < count; i++)
    r->buckets.data[i] = 0;
  for (uint32_t i = 0; i < r->safe.length; i++)
    link_safe(r, i);
}

/* How many of them are at most that? */
static size_t rank(const race_ticks *ticks, uint32_t tick) {
  size_t low = 0, high = ticks->length;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (ticks->data[middle] <= tick)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static race_ticks *completions_of(struct race *r, const struct clock_time *t) {
  while (r->completions[t->level].length <= t->thread)
    vec_push(&r->completions[t->level], ((race_ticks){0}));
  return &r->completions[t->level].data[t->thread];
}

/* Keeps the list sorted.  Most completions come in the order of ticks; what waited in store buffers may not. */
static void add_tick(race_ticks *ticks, uint32_t tick) {
  vec_push(ticks, tick);
  for (size_t i = ticks->length - 1; i > 0 && ticks->data[i - 1] > tick; i--) {
    ticks->data[i] = ticks->data[i - 1];
    ticks->data[i - 1] = tick;
  }
}

static void remove_completion(struct race *r, const struct clock_time *t) {
  race_ticks *ticks = completions_of(r, t);
  size_t behind = rank(ticks, t->tick);
  CHECK(behind > 0 && ticks->data[behind - 1] == t->tick, "tick %u completes nothing", t->tick);
  for (size_t i = behind; i < ticks->length; i++)
    ticks->data[i - 1] = ticks->data[i];
  ticks->length--;
}

/* The last of them up to that tick; 0: there is none. */
static uint32_t last_until(const race_ticks *all, uint32_t tick) {
  size_t n = rank(all, tick);
  return n ? all->data[n - 1] : 0;
}

uint32_t race_completed(const struct race *r, int level, size_t thread, uint32_t ticks) {
  if (thread >= r->completions[level].length)
    return 0;
  return last_until(&r->completions[level].data[thread], ticks);
}

uint32_t race_pending(const struct race *r, size_t thread, uint32_t ticks) {
  if (!r->walking)
    return race_completed(r, 0, thread, ticks);
  return thread < r->pending.length ? last_until(&r->pending.data[thread], ticks) : 0;
}

static void add_safe(struct analyses *a, struct race_safe s) {
  struct race *r = &a->race;
  if (r->safe.length >= r->buckets.length)
    grow_buckets(r);
  s.stamp = r->stamps++;
  if (s.to != TRACE_NONE)
    add_tick(completions_of(r, &a->clock.times.data[s.to]), a->clock.times.data[s.to].tick);
  vec_push(&r->safe, s);
  link_safe(r, (uint32_t)r->safe.length - 1);
}

/* ---- flushes ---- */

static int whose_flush(const struct analyses *a) {
  return a->machines.global_flush ? RACE_ALL : RACE_OWN;
}

static void complete_flushes(struct analyses *a, const struct event *fence, int level,
                             uint32_t step) {
  struct race *r = &a->race;
  for (size_t i = r->flushes.length; i-- > 0;) {
    struct race_flush f = r->flushes.data[i];
    if (f.level != level || (f.thread == fence->thread && !f.line))
      break;
    if (f.thread == fence->thread)
      add_safe(a, (struct race_safe){.line = f.line,
                                     .level = (uint8_t)level,
                                     .machine = f.machine,
                                     .whose = (uint8_t)whose_flush(a),
                                     .position = POSITION_MAX,
                                     .from = f.step,
                                     .to = step});
  }
  vec_push(&r->flushes,
           ((struct race_flush){.step = step, .thread = fence->thread, .level = (uint8_t)level}));
}

void race_step(struct analyses *a, uint32_t step) {
  struct race *r = &a->race;
  const struct event *e = trace_event(a->trace, step);
  int level = a->trace->steps.data[step].level;
  struct race_safe now = {.line = LINE_OF(e->address),
                          .level = (uint8_t)level,
                          .machine = (uint8_t)e->machine,
                          .position = POSITION_MAX,
                          .from = step,
                          .to = step};
  if (e->kind == EVENT_FENCE) {
    complete_flushes(a, e, level, step);
  } else if (e->kind == EVENT_FLUSH && e->detail == ABI_CLFLUSH) {
    now.whose = (uint8_t)whose_flush(a);
    add_safe(a, now);
  } else if (e->kind == EVENT_FETCH) {
    now.whose = RACE_OTHERS;
    now.position = e->detail;
    add_safe(a, now);
  } else if (e->kind == EVENT_FLUSH || e->kind == EVENT_NT_STORE) {
    vec_push(&r->flushes, ((struct race_flush){.line = now.line,
                                               .step = step,
                                               .thread = e->thread,
                                               .level = (uint8_t)level,
                                               .machine = (uint8_t)e->machine}));
  }
}

bool race_fetch_is_news(const struct analyses *a, uintptr_t line, int thread) {
  const struct race *r = &a->race;
  uint32_t n = r->buckets.length ? *bucket_of(r, 0, line) : 0;
  const struct race_safe *s = n ? &r->safe.data[n - 1] : NULL; /* it is most often the newest */
  if (!s || s->line != line || s->whose != RACE_OTHERS)
    return true;
  const struct clock_time *t = &a->clock.times.data[s->from];
  return t->thread != thread ||
         a->clock.threads[0].data[thread].others != t->others; /* so it has one */
}

/* ---- loads ---- */

static bool concerns(const struct race_safe *s, int machine, uint32_t position) {
  bool own = s->machine == machine;
  return position <= s->position && (s->whose == RACE_ALL || own == (s->whose == RACE_OWN));
}

/* Must the step have happened, whenever the failure struck? */
static bool has_happened(const struct analyses *a, uint32_t step) {
  if (a->race.baseline)
    return a->machines.failed || a->clock.times.data[step].level || a->happened(step);
  return a->machines.failed ? machines_require(a, step)
                            : cut_requires(&a->race.prefix, &a->clock, step);
}

/* 0 in pm. */
static int machine_of(const struct analyses *a, uint32_t step) {
  return a->machines.failed ? trace_event(a->trace, step)->machine : 0;
}

/* The cached entry for the store.  A flush comes after the stores it makes safe, so going back removes it before
 * them. */
static const struct race_safe *recall(const struct race *r, uint32_t store) {
  if (store >= r->memos.length)
    return NULL;
  struct race_memo m = r->memos.data[store];
  if (!m.entry || m.entry > r->safe.length || r->safe.data[m.entry - 1].stamp != m.stamp)
    return NULL;
  return &r->safe.data[m.entry - 1];
}

static void memorise(struct race *r, uint32_t store, uint32_t entry) {
  while (r->memos.length <= store)
    vec_push(&r->memos, ((struct race_memo){0}));
  r->memos.data[store] = (struct race_memo){entry, r->safe.data[entry - 1].stamp};
}

/* Cache the entry for the line if it makes everything safe that was stored there before it. */
static void memorise_line(struct analyses *a, const struct line *l, uint32_t entry) {
  struct race *r = &a->race;
  const struct race_safe *s = &r->safe.data[entry - 1];
  while (r->lines.length <= l->number)
    vec_push(&r->lines, ((struct race_memo){0}));
  struct race_memo *m = &r->lines.data[l->number];
  if (a->machines.failed || s->level || (m->entry == entry && m->stamp == s->stamp))
    return;
  for (size_t i = 0; i < l->stores.length && l->stores.data[i].step < s->from; i++)
    if (!clock_ordered(&a->clock, l->stores.data[i].step, s->from))
      return;
  *m = (struct race_memo){entry, s->stamp};
}

/* An atomic store, which needs no flush, was read: find an entry that makes the others on its line safe, and cache
 * it. */
static void look_for_line(struct analyses *a, const struct line *l) {
  const struct race *r = &a->race;
  if (a->machines.failed || r->baseline || r->buckets.length == 0)
    return;
  for (uint32_t n = *bucket_of(r, 0, l->address); n; n = r->safe.data[n - 1].next) {
    const struct race_safe *s = &r->safe.data[n - 1];
    if (s->line != l->address || s->level || s->to == TRACE_NONE)
      continue;
    if (has_happened(a, s->to))
      memorise_line(a, l, n);
    return;
  }
}

static bool is_safe(struct analyses *a, const struct line *l, const struct sighting *store) {
  struct race *r = &a->race;
  const struct race_safe *before = a->machines.failed ? NULL : recall(r, store->step);
  if (before && has_happened(a, before->to)) {
    memorise_line(a, l, (uint32_t)(before - r->safe.data) + 1);
    return true;
  }
  uintptr_t line = l->address;
  int level = a->clock.times.data[store->step].level;
  int machine = machine_of(a, store->step);
  uint32_t end = a->machines.failed ? a->machines.failed_at(machine) : TRACE_NONE;
  if (r->buckets.length == 0)
    return false;
  for (uint32_t n = *bucket_of(r, level, line); n; n = r->safe.data[n - 1].next) {
    const struct race_safe *s = &r->safe.data[n - 1];
    if (s->line != line || s->level != level || !concerns(s, machine, store->position))
      continue;
    if (s->to < store->step) /* and so are all before it */
      return false;
    if (!(s->to == TRACE_NONE || (s->to < end && has_happened(a, s->to))) ||
        !clock_ordered(&a->clock, store->step, s->from))
      continue;
    if (s->to != TRACE_NONE) {
      memorise(r, store->step, n);
      memorise_line(a, l, n);
    }
    return true;
  }
  return false;
}

/* Was a store that happens after this one, or the same, read from the line before? */
static bool was_read(struct analyses *a, const struct race_safe *now) {
  struct race *r = &a->race;
  uint32_t n = r->buckets.length ? *bucket_of(r, now->level, now->line) : 0;
  const struct race_safe *s = n ? &r->safe.data[n - 1] : NULL; /* it is most often the newest */
  return s && s->to == TRACE_NONE && s->line == now->line && s->level == now->level &&
         s->machine == now->machine && clock_ordered(&a->clock, now->from, s->from);
}

/* Is it a store of an execution or machine that has failed?  Others cannot be torn. */
static bool is_left(const struct analyses *a, uint32_t step) {
  return !a->machines.failed || machines_lost(a, step);
}

static bool is_news(const struct analyses *a, uint32_t step) {
  return !a->machines.failed || (machines_lost(a, step) && machines_first_look(a, step));
}

/* Note which stores to the line are not torn.  cxl: one by one, because machines store to a line in turns. */
static void tell_whole(struct analyses *a, const struct line *l, uint32_t step) {
  for (size_t i = 0; i < l->stores.length; i++) {
    const struct store *s = &l->stores.data[i];
    if (s->event != STORE_NAMELESS && !s->atomic && machine_of(a, s->step) == machine_of(a, step) &&
        clock_ordered(&a->clock, s->step, step))
      a->whole(l, s->step);
  }
}

/* A release store was read: everything before it on the line is whole. */
static void learn_release(struct analyses *a, const struct line *l, uint32_t step) {
  struct race_safe now = {.line = l->address,
                          .level = a->clock.times.data[step].level,
                          .machine = (uint8_t)machine_of(a, step),
                          .position = POSITION_MAX,
                          .from = step,
                          .to = TRACE_NONE};
  if (was_read(a, &now))
    return;
  add_safe(a, now);
  if (a->whole && a->machines.failed && race_line_settled(a, l))
    return; /* they are known not to be */
  if (a->whole && a->machines.failed)
    tell_whole(a, l, step);
  else if (a->whole)
    a->whole(l, step);
}

static void learn(struct analyses *a, const struct line *l, const struct sighting *s) {
  if (a->torn && !s->atomic && is_news(a, s->step) && !is_safe(a, l, s))
    a->torn(l, s->step);
  if (a->machines.failed)
    machines_look(a, s->step);
  else if (!cut_requires(&a->race.prefix, &a->clock, s->step))
    cut_require(&a->race.prefix, &a->clock, s->step);
  if (s->atomic && l->plain)
    look_for_line(a, l);
  if (s->release && l->plain && is_left(a, s->step))
    learn_release(a, l, s->step);
}

static void report(struct analyses *a, const struct analysis_load *l, uint32_t store,
                   const struct candidate *candidate) {
  a->found(&(struct analysis_report){.kind = FINDING_PERSISTENCY_RACE,
                                     .store = store,
                                     .survivor = TRACE_NONE,
                                     .load = l,
                                     .candidate = candidate});
}

void race_answer(struct analyses *a, const struct analysis_load *l, const sighting_list *s,
                 const struct candidate *candidate, bool taken) {
  bool reported = taken && candidate; /* when it was a candidate */
  uint64_t known = 0; /* a flush of it has happened, so that reading it says nothing new */
  for (size_t i = 0; i < s->length && !reported; i++) {
    const struct sighting *x = &s->data[i];
    if (!x->read || x->atomic || !is_news(a, x->step))
      continue;
    if (!is_safe(a, l->line, x)) {
      if (!l->postponed) /* a checksum was right, which it is not over what is torn */
        report(a, l, x->step, candidate);
    } else if (i < 64 && !a->race.baseline && !a->machines.failed)
      known |= (uint64_t)1 << i;
  }
  for (size_t i = 0; i < s->length && taken; i++)
    if (s->data[i].read && !(i < 64 && known >> i & 1))
      learn(a, l->line, &s->data[i]);
}

bool race_says_nothing(struct analyses *a, const struct line *l, const struct store *s) {
  if (a->race.baseline || s->atomic)
    return !a->race.baseline && !l->plain;
  const struct race_safe *before = recall(&a->race, s->step);
  return before && cut_requires(&a->race.prefix, &a->clock, before->to);
}

bool race_whole(const struct analyses *a, const struct line *l, uint32_t newest) {
  const struct race *r = &a->race;
  struct race_memo m =
      l->number < r->lines.length ? r->lines.data[l->number] : (struct race_memo){0};
  if (r->baseline || !m.entry || m.entry > r->safe.length)
    return false;
  const struct race_safe *s = &r->safe.data[m.entry - 1];
  return s->stamp == m.stamp && newest < s->from && cut_requires(&r->prefix, &a->clock, s->to);
}

/* ---- walks after the last failure ---- */

/* The first flush or access of each thread that makes the store safe, as ticks in r->first (UINT32_MAX: none); true: one
 * of them was known of when the walk began.  What is learnt in the walk does not count: it goes back. */
static bool was_safe(struct analyses *a, const struct line *l, const struct store *store) {
  struct race *r = &a->race;
  int machine = machine_of(a, store->step);
  uint32_t end = a->machines.failed_at(machine);
  for (size_t t = 0; t < r->first.length; t++)
    r->first.data[t] = UINT32_MAX;
  for (uint32_t n = r->buckets.length ? *bucket_of(r, 0, l->address) : 0; n;
       n = r->safe.data[n - 1].next) {
    const struct race_safe *s = &r->safe.data[n - 1];
    if (s->line != l->address || s->to == TRACE_NONE || s->to >= end ||
        !concerns(s, machine, store->position) || !clock_ordered(&a->clock, store->step, s->from))
      continue;
    const struct clock_time *to = &a->clock.times.data[s->to];
    if (r->baseline || to->tick <= r->known_first.data[to->thread])
      return true;
    uint32_t *first = &r->first.data[to->thread];
    *first = to->tick < *first ? to->tick : *first;
  }
  return false;
}

/* Were all stores to the line that the failures may have torn known to be whole?  Of others it is pending what will make
 * them safe, once it is known. */
static bool were_safe(struct analyses *a, const struct line *l) {
  struct race *r = &a->race;
  bool all = true;
  for (size_t i = 0; l->plain && i < l->stores.length; i++) {
    const struct store *s = &l->stores.data[i];
    if (s->event == STORE_NAMELESS || s->atomic || !machines_lost(a, s->step) || was_safe(a, l, s))
      continue;
    all = false;
    for (size_t t = 0; t < r->first.length; t++)
      if (r->first.data[t] != UINT32_MAX)
        add_tick(&r->pending.data[t], r->first.data[t]);
  }
  return all;
}

/* What is known of the line in this walk.  pre: there is one under way. */
static struct race_line *line_in_walk(struct analyses *a, const struct line *l) {
  struct race *r = &a->race;
  while (r->in_walk.length <= l->number)
    vec_push(&r->in_walk, ((struct race_line){0}));
  struct race_line *x = &r->in_walk.data[l->number];
  if (x->walk != r->walk)
    *x = (struct race_line){.walk = r->walk, .settled = were_safe(a, l)};
  return x;
}

/* Look at the lines of which the walk can learn something: where a flush or access is not known of yet. */
static void find_pending(struct analyses *a) {
  struct race *r = &a->race;
  for (size_t t = 0; t < r->pending.length; t++)
    r->pending.data[t].length = 0;
  while (r->pending.length < r->known_first.length)
    vec_push(&r->pending, ((race_ticks){0}));
  vec_reserve(&r->first, r->known_first.length);
  r->first.length = r->known_first.length;
  for (size_t i = 0; i < r->safe.length; i++) {
    const struct race_safe *s = &r->safe.data[i];
    const struct clock_time *to = s->to == TRACE_NONE ? NULL : &a->clock.times.data[s->to];
    if (to && to->tick > r->known_first.data[to->thread])
      line_in_walk(a, a->line_at(s->line));
  }
}

void race_walk_begins(struct analyses *a) {
  struct race *r = &a->race;
  r->walking = true;
  r->walk++;
  r->known_first.length = 0;
  for (int t = 0; t < clock_threads(&a->clock, 0); t++)
    vec_push(&r->known_first, machines_known(a, t));
  find_pending(a);
}

void race_walk_ends(struct analyses *a) {
  a->race.walking = false;
}

bool race_line_settled(struct analyses *a, const struct line *l) {
  return a->race.walking && line_in_walk(a, l)->settled;
}

/* Whoever reads one of the stores knows what happened before it: does that make anything safe? */
static bool teaches_nothing(const struct analyses *a, const struct line *l) {
  const struct race *r = &a->race;
  for (size_t i = 0; i < l->stores.length; i++) {
    uint32_t step = l->stores.data[i].step;
    for (size_t t = 0; t < r->pending.length && l->stores.data[i].event != STORE_NAMELESS; t++)
      if (last_until(&r->pending.data[t], clock_component(&a->clock, step, (int)t)))
        return false;
  }
  return true;
}

bool race_line_is_silent(struct analyses *a, const struct line *l) {
  if (!a->race.walking)
    return false;
  struct race_line *x = line_in_walk(a, l);
  if (!x->asked)
    x->silent = x->settled && teaches_nothing(a, l);
  x->asked = true;
  return x->silent;
}

/* ---- going back ---- */

struct race_mark race_mark(const struct race *r) {
  return (struct race_mark){cut_mark(&r->prefix), r->flushes.length, r->safe.length};
}

void race_undo(struct race *r, const struct clock *c, const struct race_mark *m) {
  CHECK(m->flushes <= r->flushes.length && m->safe <= r->safe.length, "back to %zu of %zu", m->safe,
        r->safe.length);
  cut_undo(&r->prefix, m->prefix);
  r->flushes.length = m->flushes;
  while (r->safe.length > m->safe) {
    const struct race_safe *s = &vec_last(&r->safe);
    CHECK(*bucket_of(r, s->level, s->line) == r->safe.length, "%zu is not the newest of its line",
          r->safe.length);
    *bucket_of(r, s->level, s->line) = s->next;
    if (s->to != TRACE_NONE)
      remove_completion(r, &c->times.data[s->to]);
    r->safe.length--;
  }
}

void race_free(struct race *r) {
  cut_free(&r->prefix);
  vec_free(&r->flushes);
  vec_free(&r->safe);
  for (int level = 0; level < CLOCK_LEVELS; level++) {
    for (size_t t = 0; t < r->completions[level].length; t++)
      vec_free(&r->completions[level].data[t]);
    vec_free(&r->completions[level]);
  }
  vec_free(&r->buckets);
  vec_free(&r->memos);
  vec_free(&r->lines);
  vec_free(&r->known_first);
  for (size_t t = 0; t < r->pending.length; t++)
    vec_free(&r->pending.data[t]);
  vec_free(&r->pending);
  vec_free(&r->first);
  vec_free(&r->in_walk);
}
