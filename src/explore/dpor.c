#include "base/check.h"
#include "explore/dpor_internal.h"
#include "explore/dpor_unit.h"

void dpor_begin(struct dpor *d) {
  d->at = 0;
}

void dpor_begin_at(struct dpor *d, uint32_t position) {
  CHECK(position <= d->events.length, "an execution begins at event %u of %zu", position,
        d->events.length);
  d->at = position;
}

static bool asleep(const struct dpor *d, uint32_t process) {
  for (size_t i = d->sleep_begin; i < d->sleepers.length; i++)
    if (d->sleepers.data[i].process == process)
      return true;
  return false;
}

uint32_t dpor_option_of(const struct operation *options, uint32_t count, uint32_t process) {
  for (uint32_t i = 0; i < count; i++)
    if (dpor_process(&options[i]) == process)
      return i;
  return DPOR_NOBODY;
}

bool dpor_is_barred(const struct dpor *d) {
  for (size_t i = d->sleep_begin; i < d->sleepers.length; i++)
    if (d->sleepers.data[i].barred)
      return true;
  return false;
}

/* Is there an event to repeat, or a plan? */
static bool is_decided(const struct dpor *d) {
  return d->at < d->events.length || d->at < dpor_given_events(d) || d->plan;
}

bool dpor_demands(const struct dpor *d, const struct operation *o) {
  uint32_t process = dpor_process(o);
  if (d->at < d->events.length)
    return d->events.data[d->at].process == process;
  if (d->at < dpor_given_events(d))
    return d->given.data[d->at].process == process;
  return d->plan && d->plan->process == process;
}

bool dpor_goes_on(const struct dpor *d, const struct operation *o) {
  return is_decided(d) ? dpor_demands(d, o) : !asleep(d, dpor_process(o));
}

/* A planned operation may turn out to be impossible: in ordinary programs, and where it was planned because its process
 * waits for it (patient), that is expected, and the next sibling is tried. */
uint32_t dpor_pick(struct dpor *d, const struct operation *options, uint32_t count, bool *missing) {
  *missing = false;
  if (d->at < d->events.length || d->at < dpor_given_events(d)) {
    uint32_t process =
        d->at < d->events.length ? d->events.data[d->at].process : d->given.data[d->at].process;
    uint32_t i = dpor_option_of(options, count, process);
    *missing = i == DPOR_NOBODY;
    return i;
  }
  if (d->plan) {
    while (d->plan && (!d->pm || d->plan->op.patient) &&
           dpor_option_of(options, count, d->plan->process) == DPOR_NOBODY)
      dpor_skip(d);
  }
  if (d->plan) {
    uint32_t i = dpor_option_of(options, count, d->plan->process);
    *missing = d->pm && i == DPOR_NOBODY;
    return i;
  }
  for (uint32_t i = 0; i < count; i++)
    if (!asleep(d, dpor_process(&options[i])))
      return i;
  return DPOR_NOBODY;
}

uint32_t dpor_way(const struct dpor *d, const struct operation *o) {
  uint32_t process = dpor_process(o);
  if (d->at < d->events.length)
    return d->events.data[d->at].op.way;
  if (d->at < dpor_given_events(d))
    return d->given.data[d->at].way;
  return d->plan && d->plan->process == process ? d->plan->op.way : 0;
}

/* The sleep set behind event e: those of e's that commute with it. */
static void wake_dependent(struct dpor *d, const struct dpor_event *e) {
  uint32_t end = e->sleep_end;
  for (uint32_t i = e->sleep_begin; i < end; i++) {
    const struct dpor_sleeper *s = &d->sleepers.data[i];
    if (s->process == e->process || !dpor_commute(d, &s->op, &e->op))
      continue;
    vec_reserve(&d->sleepers, d->sleepers.length + 1);
    struct dpor_sleeper *still = &d->sleepers.data[d->sleepers.length++];
    *still = d->sleepers.data[i];
    operation_pass(&still->op, &e->op);
  }
  d->sleep_begin = end;
  d->sleep_own = (uint32_t)d->sleepers.length;
  d->bars = false;
}

uint32_t dpor_note(struct dpor *d, const struct operation *o, uint32_t after, bool *same) {
  uint32_t position = d->at++;
  if (position < d->events.length) {
    const struct dpor_event *e = &d->events.data[position];
    *same = e->process == dpor_process(o) && e->op.kind == o->kind && e->op.address == o->address;
    return position;
  }
  *same = true;
  dpor_append(d, o, after);
  struct dpor_event *e = &d->events.data[position];
  struct dpor_branch *b = d->plan;
  CHECK(o->way ? o->ways >> o->way & 1 : true, "way %u of %x", o->way, o->ways);
  e->tried = 1u << o->way;
  if (position < dpor_given_events(d)) {
    struct dpor_given *g = &d->given.data[position];
    e->tried |= g->tried;
    e->planned = g->planned;
    e->failed = g->failed;
    e->instead = g->alternatives;
    g->alternatives = NULL;
  } else if (b && b->process == e->process) {
    e->tried |= b->tried;
    e->planned = true;
    e->failed = b->op.kind == OPERATION_WRITE && o->kind == OPERATION_READ;
    e->instead = b->next;
    d->plan = b->children;
    dpor_done_branch(d, b);
  } else {
    CHECK(!b, "an event that was not planned");
    CHECK(!asleep(d, e->process), "an event of process %u, which sleeps", e->process);
  }
  wake_dependent(d, e);
  dpor_enter_given(d);
  return position;
}

void dpor_waits(struct dpor *d, const struct operation *o) {
  size_t known = d->races.length;
  struct dpor_done done = d->next_done;
  struct operation patient = *o;
  patient.patient = true;
  if (d->at < d->events.length)
    return; /* the execution only repeats so far: this was noted when it came here first */
  dpor_append(d, &patient, o->after);
  CHECK(d->races.length >= known, "%zu races of %zu", d->races.length, known);
  for (size_t i = known; i < d->races.length; i++)
    dpor_turn_round(d, &d->races.data[i]);
  dpor_pop(d);
  d->next_done = done;
}

void dpor_end(struct dpor *d, bool complete) {
  d->explored += complete;
  d->blocked += !complete;
  for (size_t i = 0; i < d->races.length; i++)
    dpor_turn_round(d, &d->races.data[i]);
  dpor_drop_branches(d, d->plan); /* the execution ended before it was done */
  d->plan = NULL;
}

/* Take the branch for that way of the event out of its wakeup tree; NULL: there is none. */
static struct dpor_branch *take_planned(struct dpor_event *e, uint8_t way) {
  struct dpor_branch **b = &e->instead;
  while (*b && ((*b)->process != e->process || (*b)->op.way != way))
    b = &(*b)->next;
  struct dpor_branch *found = *b;
  if (found)
    *b = found->next;
  return found;
}

/* A branch for the same event in a way that was not tried; NULL: all were. */
static struct dpor_branch *other_way(struct dpor *d, struct dpor_event *e) {
  for (uint8_t way = 0; e->op.ways >> way; way++)
    if ((e->op.ways & ~e->tried) >> way & 1) {
      struct dpor_branch *b = take_planned(e, way);
      if (!b)
        b = dpor_new_branch(d, (struct dpor_branch){.process = e->process, .op = e->op});
      b->op.way = way;
      b->tried = e->tried;
      b->next = e->instead;
      return b;
    }
  return NULL;
}

bool dpor_retreat(struct dpor *d) {
  dpor_drop_plan(d);
  struct dpor_event *e = dpor_pop(d);
  d->at = (uint32_t)d->events.length;
  d->plan = other_way(d, e);
  if (d->plan)
    return true;
  CHECK(!(e->op.ways & ~e->tried), "ways %x of an event were not tried", e->op.ways & ~e->tried);
  struct dpor_sleeper s = {.process = e->process, .op = e->op};
  s.op.round = 0; /* which round of a barrier it belongs to is open again */
  if (e->failed)  /* its siblings were planned as if it stored */
    s.op.kind = OPERATION_WRITE;
  vec_push(&d->sleepers, s);
  d->plan = e->instead;
  return d->plan != NULL;
}

bool dpor_next(struct dpor *d) {
  d->next_done = (struct dpor_done){0};
  while (d->events.length > d->root) {
    const struct dpor_event *e = &vec_last(&d->events);
    double size = (double)d->explored - e->begun;
    struct dpor_done done = {e->done.events + 1, e->done.executions + size, size};
    if (dpor_retreat(d)) {
      d->next_done = done;
      return true;
    }
  }
  CHECK(d->root || d->planned == 0, "%zu branches are left and in no tree", d->planned);
  return false;
}

void dpor_decided(const struct dpor *d, dpor_processes *out) {
  out->length = 0;
  for (size_t i = 0; i < d->events.length; i++)
    vec_push(out, d->events.data[i].process);
  for (const struct dpor_branch *b = d->plan; b; b = b->children)
    vec_push(out, b->process);
}

static uint32_t count_branches(const struct dpor_branch *b) {
  uint32_t n = 0;
  for (; b; b = b->next)
    n++;
  return n;
}

double dpor_estimate(const struct dpor *d) {
  double all = 1;
  for (size_t i = d->events.length; i-- > 0;) {
    const struct dpor_event *e = &d->events.data[i];
    double here = (double)d->explored - e->begun;
    if (e->done.events)
      all = e->done.last;
    if (all < here)
      all = here;
    all += e->done.executions + count_branches(e->instead) * all;
  }
  return all;
}

void dpor_free(struct dpor *d) {
  struct dpor kept = {.pm = d->pm,
                      .planned_whole = d->planned_whole,
                      .futile = d->futile,
                      .beginnings = d->beginnings};
  for (size_t i = 0; i < d->events.length; i++)
    dpor_drop_branches(d, d->events.data[i].instead);
  dpor_drop_branches(d, d->plan);
  dpor_forget_given(d);
  while (d->unused) {
    struct dpor_branch *b = d->unused;
    d->unused = b->next;
    mem_free(b, sizeof *b);
  }
  vec_free(&d->events);
  vec_free(&d->clocks);
  vec_free(&d->newest);
  vec_free(&d->numbers);
  vec_free(&d->lanes.of);
  vec_free(&d->lanes.unused);
  vec_free(&d->sleepers);
  vec_free(&d->races);
  vec_free(&d->given);
  vec_free(&d->wanted);
  map_free(&d->things);
  *d = kept;
}
