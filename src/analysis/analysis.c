#include "analysis/analysis.h"
#include "base/check.h"

void analyses_step(struct analyses *a) {
  uint32_t step = (uint32_t)a->clock.times.length;
  CHECK(step < a->trace->steps.length, "step %u of %zu", step, a->trace->steps.length);
  clock_step(&a->clock, trace_event(a->trace, step), a->trace->steps.data[step].level);
  if (a->races_wanted)
    race_step(a, step);
  if (a->machines.failed)
    machines_step(a, step);
}

static void answer(struct analyses *a, const struct memory *m, const struct analysis_load *l,
                   const sighting_list *s, const struct candidate *c, bool taken) {
  if (a->races_wanted)
    race_answer(a, l, s, c, taken);
  if (a->machines.failed)
    machines_answer(a, l, s, c, taken);
  else if (a->robustness_wanted)
    robustness_answer(a, m, l, s, c, taken);
}

/* The load can see stores of domains below this: in pm those of earlier executions, in cxl those of all machines. */
static int domains_of(const struct analyses *a, const struct analysis_load *l) {
  return a->machines.failed ? DOMAINS_MAX : l->level;
}

/* What the answer says about single stores (a->sightings), for bytes that no load has told about yet.  False: of some
 * bytes nothing can be said. */
static bool see(const struct analyses *a, const struct memory *m, const struct analysis_load *l,
                const struct candidate *c, sighting_list *out) {
  int offset = (int)(l->address - l->line->address);
  if (!a->whole || a->machines.failed)
    return memory_sightings(m, l->line, c, domains_of(a, l), offset, l->size, out);
  uint64_t left = memory_untold(l->line, l->level, offset, l->size);
  bool all = true;
  while (left) {
    int first = __builtin_ctzl(left), count = 0;
    for (; first + count < LINE_BYTES && left >> (first + count) & 1; count++)
      left &= ~((uint64_t)1 << (first + count));
    all &= memory_sightings(m, l->line, c, domains_of(a, l), first, count, out);
  }
  return all;
}

void analyses_candidates(struct analyses *a, const struct memory *m, const struct analysis_load *l,
                         const struct candidate *candidates, size_t count) {
  if (l->ignored || l->postponed || analyses_done(a))
    return;
  for (size_t i = 0; i < count; i++) {
    a->sightings.length = 0;
    see(a, m, l, &candidates[i], &a->sightings);
    answer(a, m, l, &a->sightings, &candidates[i], false);
  }
}

void analyses_load(struct analyses *a, const struct memory *m, const struct analysis_load *l,
                   const struct candidate *c) {
  if ((l->ignored && !a->machines.failed) || l->line->stores.length == 0 || analyses_done(a) ||
      analyses_settled(a, l->line, l->address, l->size, l->level) ||
      (a->machines.failed && !c && machines_settled(a, m, l)))
    return;
  sighting_list *out = l->postponed ? &a->postponed_sightings : &a->sightings;
  if (l->postponed)
    vec_push(&a->postponed, ((struct analysis_postponed){*l, out->length}));
  else
    out->length = 0;
  a->imprecise |= !see(a, m, l, c, out);
  if (l->ignored)
    machines_answer(a, l, out, c, true);
  else if (!l->postponed)
    answer(a, m, l, out, c, true);
}

/* ---- several loads at once ---- */

bool analyses_certain(const struct analyses *a, const struct line *l, int level) {
  if (level != 1 || a->machines.failed)
    return false;
  if (!a->races_wanted || !l->stores.length || (!l->plain && !a->race.baseline))
    return true;
  const struct store *newest = memory_newest_settled(l, 0, 0, 0);
  return newest && race_whole(a, l, newest->step);
}

static uint64_t mask(int offset, int size) {
  return (((uint64_t)1 << (size - 1) << 1) - 1) << offset;
}

/* Byte by byte from the newest: older ones of the same bytes are not read. */
bool analyses_newest(const struct analyses *a, const struct line *l, uintptr_t address, int size,
                     uint32_t *newest, uint32_t threads) {
  uint64_t left = mask((int)(address - l->address), size);
  for (size_t n = l->stores.length; n-- > 0 && left;) {
    const struct store *s = &l->stores.data[n];
    if (!(left & mask(s->offset, s->size)))
      continue;
    left &= ~mask(s->offset, s->size);
    const struct clock_time *time = a->clock.times.data, *now = &time[s->step];
    if (s->domain != 0 || s->position > l->interval[0].low || now->thread >= threads)
      return false;
    uint32_t *x = &newest[now->thread];
    if (*x == TRACE_NONE || time[*x].tick < now->tick)
      *x = s->step;
  }
  return true;
}

/* Is it impossible that the step has happened? */
static bool contradicts(const struct analyses *a, uint32_t step) {
  for (int t = 0; t < clock_threads(&a->clock, 0); t++)
    if (clock_component(&a->clock, step, t) >= cut_high(&a->robustness.cuts, 0, (uint32_t)t))
      return true;
  return false;
}

/* The store that all bytes of the load are read from, if that is certain; otherwise NULL. */
static const struct store *only_store(const struct line *l, uintptr_t address, int size) {
  uint64_t wanted = mask((int)(address - l->address), size);
  for (size_t n = l->stores.length; n-- > 0;) {
    const struct store *s = &l->stores.data[n];
    uint64_t covers = mask(s->offset, s->size) & wanted;
    if (covers)
      return covers == wanted && s->domain == 0 && s->position <= l->interval[0].low ? s : NULL;
  }
  return NULL;
}

bool analyses_load_quickly(struct analyses *a, const struct line *l, uintptr_t address, int size,
                           int level) {
  bool robustness = a->robustness_wanted && !a->robustness.violated;
  const struct store *s = level == 1 && !a->machines.failed ? only_store(l, address, size) : NULL;
  if (!s || (robustness && contradicts(a, s->step)) ||
      (a->races_wanted && !race_says_nothing(a, l, s)))
    return false;
  if (robustness)
    cut_require(&a->robustness.cuts, &a->clock, s->step);
  if (a->races_wanted && s->atomic)
    cut_require(&a->race.prefix, &a->clock, s->step);
  return true;
}

/* With a step all that happens before it has happened, so that older ones of its thread say nothing more. */
bool analyses_loads(struct analyses *a, const uint32_t *newest, uint32_t threads) {
  bool robustness = a->robustness_wanted && !a->robustness.violated;
  for (uint32_t t = 0; t < threads && robustness; t++)
    if (newest[t] != TRACE_NONE && contradicts(a, newest[t]))
      return false;
  for (uint32_t t = 0; t < threads; t++) {
    if (newest[t] == TRACE_NONE)
      continue;
    if (robustness)
      cut_require(&a->robustness.cuts, &a->clock, newest[t]);
    if (a->races_wanted)
      cut_require(&a->race.prefix, &a->clock, newest[t]);
  }
  return true;
}

void analyses_checksum(struct analyses *a, const struct memory *m, bool valid) {
  for (size_t i = a->validation; valid && i < a->postponed.length; i++) {
    const struct analysis_postponed *p = &a->postponed.data[i];
    size_t end = i + 1 < a->postponed.length ? p[1].first : a->postponed_sightings.length;
    a->sightings.length = 0;
    for (size_t j = p->first; j < end; j++)
      vec_push(&a->sightings, a->postponed_sightings.data[j]);
    answer(a, m, &p->load, &a->sightings, NULL, true);
  }
  a->validation = a->postponed.length;
}

/* ---- for whoever remembers what came of an execution ---- */

bool analyses_is_whole(const struct analyses *a) {
  return a->validation == a->postponed.length;
}

static void put_cuts(const struct cuts *c, struct str *out) {
  for (int level = 0; level < CUT_LEVELS; level++) {
    uint64_t threads = c->threads[level].length;
    str_append_bytes(out, &threads, sizeof threads);
    for (size_t t = 0; t < threads; t++) {
      uint32_t bounds[] = {c->threads[level].data[t].low, c->threads[level].data[t].high};
      str_append_bytes(out, bounds, sizeof bounds);
    }
  }
}

static void put_prefix(const struct race *r, struct str *out) {
  for (int level = 0; level < CUT_LEVELS; level++) {
    uint64_t threads = r->prefix.threads[level].length;
    str_append_bytes(out, &threads, sizeof threads);
    for (size_t t = 0; t < threads; t++) {
      uint32_t completed = race_completed(r, level, t, r->prefix.threads[level].data[t].low);
      str_append_bytes(out, &completed, sizeof completed);
    }
  }
}

void analyses_put_state(const struct analyses *a, struct str *out) {
  bool robust = a->robustness_wanted && !a->robustness.violated;
  str_append_bytes(out, &robust, sizeof robust);
  if (robust)
    put_cuts(&a->robustness.cuts, out);
  if (a->races_wanted && !a->race.baseline)
    put_prefix(&a->race, out);
  size_t steps = a->trace->steps.length; /* how many of them had happened when the power failed */
  if (a->races_wanted && a->race.baseline)
    str_append_bytes(out, &steps, sizeof steps);
}

/* ---- going back ---- */

struct analyses_mark analyses_mark(const struct analyses *a) {
  return (struct analyses_mark){.clock = clock_mark(&a->clock),
                                .robustness = robustness_mark(&a->robustness),
                                .race = race_mark(&a->race),
                                .machines = machines_mark(&a->machines),
                                .loads = a->loads.length,
                                .postponed = a->postponed.length,
                                .postponed_sightings = a->postponed_sightings.length,
                                .validation = a->validation};
}

void analyses_undo(struct analyses *a, const struct analyses_mark *m) {
  robustness_undo(&a->robustness, &m->robustness);
  race_undo(&a->race, &a->clock, &m->race);
  machines_undo(&a->machines, &m->machines);
  clock_undo(&a->clock, m->clock);
  a->loads.length = m->loads;
  a->postponed.length = m->postponed;
  a->postponed_sightings.length = m->postponed_sightings;
  a->validation = m->validation;
}

void analyses_free(struct analyses *a) {
  clock_free(&a->clock);
  robustness_free(&a->robustness);
  race_free(&a->race);
  machines_free(&a->machines);
  vec_free(&a->loads);
  vec_free(&a->sightings);
  vec_free(&a->postponed);
  vec_free(&a->postponed_sightings);
}
