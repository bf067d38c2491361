#include "analysis/analysis.h"

#define LEVEL 0 /* all machines run in one execution */

#define NO_MACHINE 0xff /* the thread has done nothing yet, and knows nothing */

static void note_machine(struct machines *m, int thread, int machine) {
  while (m->machine_of.length <= (size_t)thread)
    vec_push(&m->machine_of, NO_MACHINE);
  m->machine_of.data[thread] = (uint8_t)machine;
}

static bool is_live(const struct analyses *a, int thread) {
  const struct machines *m = &a->machines;
  uint8_t machine = (size_t)thread < m->machine_of.length ? m->machine_of.data[thread] : NO_MACHINE;
  return machine == NO_MACHINE || !(*m->failed >> machine & 1);
}

/* Must that many steps of the thread have happened? */
static bool requires_tick(const struct analyses *a, int thread, uint32_t tick) {
  if (is_live(a, thread))
    return true;
  for (int t = 0; t < clock_threads(&a->clock, LEVEL); t++)
    if (is_live(a, t) && clock_knows_tick(&a->clock, LEVEL, t, thread, tick))
      return true;
  return false;
}

bool machines_require(const struct analyses *a, uint32_t step) {
  const struct clock_time *t = &a->clock.times.data[step];
  return requires_tick(a, t->thread, t->tick);
}

uint32_t machines_known(const struct analyses *a, int thread) {
  uint32_t known = 0;
  if (is_live(a, thread))
    return UINT32_MAX;
  for (int t = 0; t < clock_threads(&a->clock, LEVEL); t++) {
    uint32_t ticks = is_live(a, t) ? clock_known(&a->clock, LEVEL, t, thread) : 0;
    known = ticks > known ? ticks : known;
  }
  return known;
}

/* Of so many steps of a failed thread that must have happened only completed flushes make a difference to races. */
void machines_put_state(const struct analyses *a, struct str *out) {
  for (int other = 0; other < clock_threads(&a->clock, LEVEL); other++) {
    uint32_t known = is_live(a, other) ? 0 : machines_known(a, other);
    known = race_pending(&a->race, (size_t)other, known);
    str_append_bytes(out, &known, sizeof known);
  }
}

bool machines_lost(const struct analyses *a, uint32_t step) {
  return !is_live(a, a->clock.times.data[step].thread);
}

/* ---- reporting ---- */

/* Of the steps that others have seen, and that happen after the lost store, the first: a store that was
 * read, or else what releases a lock. */
static uint32_t first_seen(const struct analyses *a, uint32_t lost, uint32_t *load) {
  const struct machines *m = &a->machines;
  uint32_t best = TRACE_NONE;
  for (size_t i = 0; i < m->read.length; i++) {
    const struct machines_fact *f = &m->read.data[i];
    if (f->step < best && clock_ordered(&a->clock, lost, f->step) &&
        requires_tick(a, f->thread, f->tick)) {
      best = f->step;
      *load = f->load;
    }
  }
  for (uint32_t i = lost + 1; i < a->trace->steps.length && best == TRACE_NONE; i++)
    if (trace_event(a->trace, i)->kind == EVENT_RELEASE && clock_ordered(&a->clock, lost, i) &&
        machines_require(a, i))
      best = i;
  return best;
}

static bool contradicts(const struct analyses *a, const struct machines_fact *missed) {
  return machines_require(a, missed->step) && requires_tick(a, missed->thread, missed->tick);
}

/* Has an earlier load shown the same? */
static bool is_repeated(const struct analyses *a, size_t number) {
  const struct machines_fact *missed = a->machines.missed.data;
  for (size_t i = 0; i < number; i++)
    if (missed[i].step == missed[number].step && contradicts(a, &missed[i]))
      return true;
  return false;
}

/* Every store that was missed although it must have happened. */
static void report(struct analyses *a, const struct candidate *candidate) {
  for (size_t i = 0; i < a->machines.missed.length; i++) {
    const struct machines_fact *lost = &a->machines.missed.data[i];
    if (!contradicts(a, lost) || is_repeated(a, i))
      continue;
    uint32_t other = lost->load, survivor = first_seen(a, lost->step, &other);
    if (survivor == TRACE_NONE)
      continue;
    a->found(&(struct analysis_report){.kind = FINDING_ROBUSTNESS,
                                       .store = lost->step,
                                       .survivor = survivor,
                                       .load = &a->loads.data[lost->load],
                                       .other = &a->loads.data[other],
                                       .candidate = candidate});
  }
}

static bool is_possible(const struct analyses *a) {
  for (size_t i = 0; i < a->machines.missed.length; i++)
    if (contradicts(a, &a->machines.missed.data[i]))
      return false;
  return true;
}

/* ---- what happens ---- */

/* Later loads of what a failure has left read the same. */
bool machines_first_look(const struct analyses *a, uint32_t step) {
  const struct machines *m = &a->machines;
  return !(step / 64 < m->looked_at.length && m->looked_at.data[step / 64] >> step % 64 & 1);
}

void machines_look(struct analyses *a, uint32_t step) {
  struct machines *m = &a->machines;
  if (!machines_lost(a, step) || !machines_first_look(a, step))
    return;
  while (m->looked_at.length <= step / 64)
    vec_push(&m->looked_at, 0);
  m->looked_at.data[step / 64] |= (uint64_t)1 << step % 64;
  vec_push(&m->looks, step);
}

void machines_step(struct analyses *a, uint32_t step) {
  const struct event *e = trace_event(a->trace, step);
  note_machine(&a->machines, e->thread, e->machine);
  if (e->kind == EVENT_CREATE)
    note_machine(&a->machines, (int)e->detail, e->machine);
  if (!a->robustness_wanted || a->robustness.violated || a->machines.missed.length == 0 ||
      (e->kind != EVENT_ACQUIRE && e->kind != EVENT_JOIN))
    return;
  if (!is_possible(a)) { /* a lock operation has ordered a step that was missed before it */
    report(a, NULL);
    a->robustness.violated = true;
  }
}

static void add_fact(struct analyses *a, const struct analysis_load *l, const struct sighting *s) {
  struct machines_fact f = {.step = s->step,
                            .load = (uint32_t)a->loads.length - 1,
                            .tick = clock_ticks(&a->clock, LEVEL, l->thread) + 1,
                            .thread = (uint16_t)l->thread};
  if (s->read)
    vec_push(&a->machines.read, f);
  else
    vec_push(&a->machines.missed, f);
}

static bool is_known(const struct analyses *a, const struct analysis_load *l,
                     const struct sighting *s) {
  if (s->read)
    return clock_knows(&a->clock, LEVEL, l->thread, s->step);
  for (size_t i = 0; i < a->machines.missed.length; i++)
    if (a->machines.missed.data[i].step == s->step &&
        a->machines.missed.data[i].thread == l->thread)
      return true;
  return false;
}

/* What the load tells; of one that is not to be looked at (ignored) only what it reads from live machines, which is
 * ordered before it all the same.  False: nothing new. */
static bool learn(struct analyses *a, const struct analysis_load *l, const sighting_list *s) {
  bool kept = false;
  note_machine(&a->machines, l->thread, l->machine);
  for (size_t i = 0; i < s->length; i++) {
    const struct sighting *x = &s->data[i];
    if (is_known(a, l, x) || (l->ignored && (!x->read || machines_lost(a, x->step))))
      continue;
    if (!kept) {
      struct analysis_load copy = *l;
      copy.number = (uint32_t)a->loads.length;
      vec_push(&a->loads, copy);
    }
    kept = true;
    add_fact(a, l, x);
    if (x->read)
      clock_learn_from(&a->clock, LEVEL, l->thread, x->step);
  }
  return kept;
}

bool machines_settled(struct analyses *a, const struct memory *m, const struct analysis_load *l) {
  int offset = (int)(l->address - l->line->address);
  for (size_t n = l->line->stores.length; n-- > 0;) {
    const struct store *s = &l->line->stores.data[n];
    if (s->offset >= offset + l->size || offset >= s->offset + s->size)
      continue;
    bool failed = m->failed >> s->domain & 1;
    bool all = s->offset <= offset && offset + l->size <= s->offset + s->size;
    if (s->event == STORE_NAMELESS) /* of a survivor */
      return all;
    return all && clock_knows(&a->clock, LEVEL, l->thread, s->step) &&
           (!failed || (s->position <= l->line->interval[s->domain].low &&
                        !(a->races_wanted && machines_first_look(a, s->step) &&
                          !race_line_settled(a, l->line))));
  }
  return true;
}

/* Byte by byte from the newest: older ones of the same bytes are not read. */
bool machines_newest(const struct analyses *a, const struct memory *m, const struct line *l,
                     uintptr_t address, int size, uint32_t *newest, uint32_t threads) {
  uint64_t left = (((uint64_t)1 << (size - 1) << 1) - 1) << (address - l->address);
  for (size_t n = l->stores.length; n-- > 0 && left;) {
    const struct store *s = &l->stores.data[n];
    uint64_t covers = (((uint64_t)1 << (s->size - 1) << 1) - 1) << s->offset;
    if (!(left & covers))
      continue;
    if (m->failed >> s->domain & 1 && s->position > l->interval[s->domain].low)
      return false; /* it may be missed */
    left &= ~covers;
    if (s->event == STORE_NAMELESS)
      continue;
    const struct clock_time *time = a->clock.times.data, *now = &time[s->step];
    if (now->thread >= threads)
      return false;
    uint32_t *x = &newest[now->thread];
    if (*x == TRACE_NONE || time[*x].tick < now->tick)
      *x = s->step;
  }
  return true;
}

bool machines_know(const struct analyses *a, int thread, const uint32_t *newest, uint32_t threads) {
  for (uint32_t t = 0; t < threads; t++)
    if (newest[t] != TRACE_NONE && !clock_knows(&a->clock, LEVEL, thread, newest[t]))
      return false;
  return true;
}

void machines_answer(struct analyses *a, const struct analysis_load *l, const sighting_list *s,
                     const struct candidate *candidate, bool taken) {
  struct analyses_mark mark = {0};
  bool violated = a->robustness.violated;
  if (!taken && (violated || !a->robustness_wanted))
    return; /* nothing to report, and what is learnt goes back */
  if (!taken)
    mark = analyses_mark(a);
  if (learn(a, l, s) && a->robustness_wanted && !violated && !is_possible(a)) {
    if (!taken || !candidate || l->ignored) /* otherwise it was reported as a candidate */
      report(a, candidate);
    a->robustness.violated = true;
  }
  if (!taken)
    analyses_undo(a, &mark);
}

/* ---- going back ---- */

struct machines_mark machines_mark(const struct machines *m) {
  return (struct machines_mark){m->machine_of.length, m->read.length, m->missed.length,
                                m->looks.length};
}

void machines_undo(struct machines *m, const struct machines_mark *mark) {
  m->machine_of.length = mark->machine_of;
  m->read.length = mark->read;
  m->missed.length = mark->missed;
  while (m->looks.length > mark->looks) {
    uint32_t step = vec_pop(&m->looks);
    m->looked_at.data[step / 64] &= ~((uint64_t)1 << step % 64);
  }
}

void machines_free(struct machines *m) {
  vec_free(&m->machine_of);
  vec_free(&m->read);
  vec_free(&m->missed);
  vec_free(&m->looks);
  vec_free(&m->looked_at);
}
