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

void analyses_candidates(struct analyses *a, const struct memory *m, const struct analysis_load *l,
                         const struct candidate *candidates, size_t count) {
  if (l->ignored || l->postponed)
    return;
  for (size_t i = 0; i < count; i++) {
    a->sightings.length = 0;
    memory_sightings(m, l->line, &candidates[i], domains_of(a, l),
                     (int)(l->address - l->line->address), l->size, &a->sightings);
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
  a->imprecise |= !memory_sightings(m, l->line, c, domains_of(a, l),
                                    (int)(l->address - l->line->address), l->size, out);
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
