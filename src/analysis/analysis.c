#include "analysis/analysis.h"

void analyses_step(struct analyses *a) {
  uint32_t step = (uint32_t)a->clock.times.length;
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

/* Stores of which domains can the load see?  Machines live side by side. */
static int domains_of(const struct analyses *a, const struct analysis_load *l) {
  return a->machines.failed ? DOMAINS_MAX : l->level;
}

/* What the answer says about single stores, by the bytes that nobody has told about.  False: not all. */
static bool see(const struct analyses *a, const struct memory *m, const struct analysis_load *l,
                const struct candidate *c, sighting_list *out) {
  int offset = (int)(l->address - l->line->address);
  if (!a->whole)
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
  if (l->ignored || l->postponed)
    return;
  for (size_t i = 0; i < count; i++) {
    a->sightings.length = 0;
    see(a, m, l, &candidates[i], &a->sightings);
    answer(a, m, l, &a->sightings, &candidates[i], false);
  }
}

void analyses_load(struct analyses *a, const struct memory *m, const struct analysis_load *l,
                   const struct candidate *c) {
  if ((l->ignored && !a->machines.failed) || l->line->stores.length == 0 ||
      analyses_settled(a, l->line, l->address, l->size, l->level))
    return;
  sighting_list *out = l->postponed ? &a->postponed_sightings : &a->sightings;
  if (l->postponed)
    vec_push(&a->postponed, ((struct analysis_postponed){*l, out->length}));
  else
    out->length = 0;
  a->imprecise |= !see(a, m, l, c, out);
  if (l->ignored)
    machines_ignored(a, l, out);
  else if (!l->postponed)
    answer(a, m, l, out, c, true);
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

void analyses_put_state(const struct analyses *a, struct str *out) {
  bool robust = a->robustness_wanted && !a->robustness.violated;
  str_append_bytes(out, &robust, sizeof robust);
  if (robust)
    put_cuts(&a->robustness.cuts, out);
  if (a->races_wanted && !a->race.baseline)
    put_cuts(&a->race.prefix, out);
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
  clock_undo(&a->clock, m->clock);
  robustness_undo(&a->robustness, &m->robustness);
  race_undo(&a->race, &m->race);
  machines_undo(&a->machines, &m->machines);
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
