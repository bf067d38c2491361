#include "analysis/analysis.h"
#include "base/check.h"

struct robustness_mark robustness_mark(const struct robustness *r) {
  return (struct robustness_mark){cut_mark(&r->cuts), r->read.length, r->missed.length,
                                  r->violated};
}

void robustness_undo(struct robustness *r, const struct robustness_mark *m) {
  CHECK(m->read <= r->read.length && m->missed <= r->missed.length, "back to %zu of %zu", m->read,
        r->read.length);
  cut_undo(&r->cuts, m->cuts);
  r->read.length = m->read;
  r->missed.length = m->missed;
  r->violated = m->violated;
}

void robustness_free(struct robustness *r) {
  cut_free(&r->cuts);
  vec_free(&r->read);
  vec_free(&r->missed);
}

static bool learn(struct analyses *a, const sighting_list *s, uint32_t load) {
  struct robustness *r = &a->robustness;
  bool possible = true;
  for (size_t i = 0; i < s->length; i++) {
    const struct sighting *x = &s->data[i];
    struct robustness_fact fact = {x->step, load};
    if (x->read) {
      vec_push(&r->read, fact);
      possible &= cut_require(&r->cuts, &a->clock, x->step);
    } else {
      vec_push(&r->missed, fact);
      possible &= cut_forbid(&r->cuts, &a->clock, x->step);
    }
  }
  return possible;
}

/* Of the stores that were read, and happen after the one that was lost, the first. */
static const struct robustness_fact *first_survivor(const struct analyses *a, uint32_t lost) {
  const struct robustness *r = &a->robustness;
  const struct robustness_fact *best = NULL;
  for (size_t i = 0; i < r->read.length; i++) {
    const struct robustness_fact *f = &r->read.data[i];
    if (a->clock.times.data[f->step].level == a->clock.times.data[lost].level &&
        clock_ordered(&a->clock, lost, f->step) &&
        (!best || f->step < best->step || (f->step == best->step && f->load < best->load)))
      best = f;
  }
  return best;
}

/* What loads have read that said nothing new: one of these stores may be the nearest survivor. */
static void add_settled(struct analyses *a, const struct memory *m, uint32_t loads) {
  sighting_list s = {0};
  for (uint32_t i = 0; i < loads; i++) {
    struct analysis_load l = a->load(i);
    s.length = 0;
    if (!l.ignored && !l.postponed)
      memory_sightings(m, l.line, NULL, l.level, (int)(l.address - l.line->address), l.size, &s);
    for (size_t j = 0; j < s.length; j++)
      if (s.data[j].read)
        vec_push(&a->robustness.read, ((struct robustness_fact){s.data[j].step, i}));
  }
  vec_free(&s);
}

/* Every store that was missed although it must have happened; at load `now`. */
static void report(struct analyses *a, const struct memory *m, const struct analysis_load *now,
                   const struct candidate *candidate) {
  struct robustness *r = &a->robustness;
  size_t reads = r->read.length;
  add_settled(a, m, now->number);
  for (size_t i = 0; i < r->missed.length; i++) {
    const struct robustness_fact *lost = &r->missed.data[i], *survivor;
    if (!cut_requires(&r->cuts, &a->clock, lost->step))
      continue;
    survivor = first_survivor(a, lost->step);
    CHECK(survivor, "nothing says that step %u has happened", lost->step);
    struct analysis_load load = *now, other = *now;
    if (lost->load != now->number)
      load = a->load(lost->load);
    if (survivor->load != now->number)
      other = a->load(survivor->load);
    a->found(&(struct analysis_report){.kind = FINDING_ROBUSTNESS,
                                       .store = lost->step,
                                       .survivor = survivor->step,
                                       .load = &load,
                                       .other = &other,
                                       .candidate = candidate});
  }
  r->read.length = reads;
}

void robustness_answer(struct analyses *a, const struct memory *m, const struct analysis_load *l,
                       const sighting_list *s, const struct candidate *candidate, bool taken) {
  struct robustness *r = &a->robustness;
  if (r->violated || s->length == 0)
    return;
  struct robustness_mark mark = robustness_mark(r);
  bool possible = learn(a, s, l->number);
  if (!possible && !(taken && candidate)) /* otherwise it was reported as a candidate */
    report(a, m, l, candidate);
  if (!taken)
    robustness_undo(r, &mark);
  else
    r->violated |= !possible;
}
