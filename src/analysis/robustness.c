#include "analysis/analysis.h"
#include "base/check.h"

struct robustness_mark robustness_mark(const struct robustness *r) {
  return (struct robustness_mark){cut_mark(&r->cuts), r->read.length, r->missed.length,
                                  r->violated};
}

/* The newest fact that is in a chain leaves it. */
static void unchain(struct robustness *r) {
  const struct robustness_missed *x = &r->missed.data[--r->chained];
  r->newest.data[x->places] = x->before;
  if (!x->before)
    r->open.length--;
}

void robustness_undo(struct robustness *r, const struct robustness_mark *m) {
  CHECK(m->read <= r->read.length && m->missed <= r->missed.length, "back to %zu of %zu", m->read,
        r->read.length);
  cut_undo(&r->cuts, m->cuts);
  while (r->chained > m->missed)
    unchain(r);
  r->read.length = m->read;
  r->missed.length = m->missed;
  r->violated = m->violated;
}

void robustness_free(struct robustness *r) {
  cut_free(&r->cuts);
  vec_free(&r->read);
  vec_free(&r->missed);
  intern_free(&r->places);
  vec_free(&r->newest);
  vec_free(&r->open);
}

static bool learn(struct analyses *a, const sighting_list *s, const struct analysis_load *l) {
  struct robustness *r = &a->robustness;
  bool possible = true;
  for (size_t i = 0; i < s->length; i++) {
    const struct sighting *x = &s->data[i];
    struct robustness_fact fact = {x->step, l->number};
    if (x->read) {
      vec_push(&r->read, fact);
      possible &= cut_require(&r->cuts, &a->clock, x->step);
    } else {
      vec_push(&r->missed,
               ((struct robustness_missed){.fact = fact, .site = l->site, .code = l->code}));
      possible &= cut_forbid(&r->cuts, &a->clock, x->step);
    }
  }
  return possible;
}

/* ---- reporting ---- */

/* Of the stores that were read, and happen after the one that was lost, the first; among the facts from `begin` on. */
static const struct robustness_fact *first_survivor(const struct analyses *a, uint32_t lost,
                                                    size_t begin) {
  const struct robustness *r = &a->robustness;
  const struct robustness_fact *best = NULL;
  for (size_t i = begin; i < r->read.length; i++) {
    const struct robustness_fact *f = &r->read.data[i];
    if (best && (f->step > best->step || (f->step == best->step && f->load >= best->load)))
      continue;
    if (a->clock.times.data[f->step].level == a->clock.times.data[lost].level &&
        clock_ordered(&a->clock, lost, f->step))
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

/* A store that was lost, with the nearest one that survived. */
struct loss {
  const struct robustness_missed *missed;
  struct robustness_fact survivor;
};

typedef VEC(struct loss) loss_list;

static bool same_places(const struct analyses *a, const struct robustness_missed *x,
                        const struct robustness_missed *y) {
  const struct event *s = trace_event(a->trace, x->fact.step);
  const struct event *t = trace_event(a->trace, y->fact.step);
  return x->site == y->site && x->code == y->code && s->site == t->site && s->code == t->code;
}

static uint32_t distance(const struct loss *x) {
  return x->survivor.step - x->missed->fact.step;
}

/* Of several at the same places the nearest pair stays. */
static void add_loss(const struct analyses *a, loss_list *out, struct loss new) {
  for (size_t i = 0; i < out->length; i++)
    if (same_places(a, out->data[i].missed, new.missed)) {
      if (distance(&new) < distance(&out->data[i]))
        out->data[i] = new;
      return;
    }
  vec_push(out, new);
}

static struct loss make_loss(const struct analyses *a, const struct robustness_missed *x,
                             size_t reads) {
  const struct robustness_fact *survivor = first_survivor(a, x->fact.step, reads);
  CHECK(survivor, "nothing says that step %u has happened", x->fact.step);
  return (struct loss){x, *survivor};
}

static bool is_lost(const struct analyses *a, const struct robustness_missed *x) {
  return cut_requires(&a->robustness.cuts, &a->clock, x->fact.step);
}

/* Stores that the load has missed although they must have happened: the facts from `begin` on. */
static void find_losses(const struct analyses *a, size_t begin, loss_list *out) {
  for (size_t i = begin; i < a->robustness.missed.length; i++)
    if (is_lost(a, &a->robustness.missed.data[i]))
      add_loss(a, out, make_loss(a, &a->robustness.missed.data[i], 0));
}

/* Put the first `count` facts into chains. */
static void chain(struct analyses *a, size_t count) {
  struct robustness *r = &a->robustness;
  for (; r->chained < count; r->chained++) {
    struct robustness_missed *x = &r->missed.data[r->chained];
    const struct event *e = trace_event(a->trace, x->fact.step);
    uintptr_t key[] = {(uintptr_t)x->site, x->code, (uintptr_t)e->site, e->code};
    x->places = intern(&r->places, key, sizeof key);
    while (r->newest.length <= x->places)
      vec_push(&r->newest, 0);
    x->before = r->newest.data[x->places];
    x->last_step = x->fact.step;
    if (!x->before)
      vec_push(&r->open, x->places);
    else if (r->missed.data[x->before - 1].last_step > x->last_step)
      x->last_step = r->missed.data[x->before - 1].last_step;
    r->newest.data[x->places] = (uint32_t)r->chained + 1;
  }
}

/* The nearest loss of a chain, of equally near ones the oldest.  Facts older than one whose last step is further from
 * all survivors than the best so far are not looked at.  soonest: the first survivor's step. */
static void find_nearest(const struct analyses *a, uint32_t newest, size_t reads, uint32_t soonest,
                         loss_list *out) {
  const struct robustness_missed *all = a->robustness.missed.data;
  struct loss best = {0};
  for (uint32_t i = newest; i; i = all[i - 1].before) {
    const struct robustness_missed *x = &all[i - 1];
    if (best.missed && (int64_t)soonest - x->last_step > (int64_t)distance(&best))
      break;
    if (!is_lost(a, x))
      continue;
    struct loss loss = make_loss(a, x, reads);
    if (!best.missed || distance(&loss) <= distance(&best))
      best = loss;
  }
  if (best.missed)
    vec_push(out, best);
}

/* Stores that were missed before, the first `count` facts, and must have happened because of what the load has read:
 * the facts from `reads` on. */
static void find_earlier_losses(struct analyses *a, size_t count, size_t reads, loss_list *out) {
  const struct robustness *r = &a->robustness;
  uint32_t soonest = UINT32_MAX;
  for (size_t i = reads; i < r->read.length; i++)
    soonest = r->read.data[i].step < soonest ? r->read.data[i].step : soonest;
  if (reads == r->read.length)
    return;
  chain(a, count);
  for (size_t i = 0; i < r->open.length; i++)
    find_nearest(a, r->newest.data[r->open.data[i]], reads, soonest, out);
}

/* The facts so far agreed with each other: what was missed before must have happened because of what is read now. */
static void report(struct analyses *a, const struct memory *m, const struct analysis_load *now,
                   const struct robustness_mark *before, const struct candidate *candidate) {
  struct robustness *r = &a->robustness;
  loss_list losses = {0};
  size_t reads = r->read.length;
  find_earlier_losses(a, before->missed, before->read, &losses);
  if (before->missed < r->missed.length) {
    add_settled(a, m, now->number);
    find_losses(a, before->missed, &losses);
    r->read.length = reads;
  }
  for (size_t i = 0; i < losses.length; i++) {
    const struct robustness_fact *lost = &losses.data[i].missed->fact;
    struct robustness_fact survivor = losses.data[i].survivor;
    struct analysis_load load = *now, other = *now;
    if (lost->load != now->number)
      load = a->load(lost->load);
    if (survivor.load != now->number)
      other = a->load(survivor.load);
    a->found(&(struct analysis_report){.kind = FINDING_ROBUSTNESS,
                                       .store = lost->step,
                                       .survivor = survivor.step,
                                       .load = &load,
                                       .other = &other,
                                       .candidate = candidate});
  }
  vec_free(&losses);
}

void robustness_answer(struct analyses *a, const struct memory *m, const struct analysis_load *l,
                       const sighting_list *s, const struct candidate *candidate, bool taken) {
  struct robustness *r = &a->robustness;
  if (r->violated || s->length == 0)
    return;
  struct robustness_mark mark = robustness_mark(r);
  bool possible = learn(a, s, l);
  if (!possible && !(taken && candidate)) /* otherwise it was reported as a candidate */
    report(a, m, l, &mark, candidate);
  if (!taken)
    robustness_undo(r, &mark);
  else
    r->violated |= !possible;
}
