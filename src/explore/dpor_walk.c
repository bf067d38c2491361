/* The reduction for a search that goes back step by step (search/walk.h), with runs of the program ahead of it; and
 * what parts an execution from earlier ones. */
#include "base/check.h"
#include "explore/dpor_internal.h"

void dpor_rewind(struct dpor *d, size_t kept) {
  while (d->events.length > kept) {
    const struct dpor_event *e = dpor_pop(d);
    if (!e->planned)
      continue;
    d->plan = dpor_new_branch(
        d, (struct dpor_branch){
               .process = e->process, .op = e->op, .children = d->plan, .next = e->instead});
  }
  d->at = 0;
}

/* Recursive only for siblings that have others after them: sequences are as long as executions. */
static struct dpor_branch *copy_branches(struct dpor *d, const struct dpor_branch *b) {
  struct dpor_branch *first = NULL, **end = &first;
  while (b) {
    struct dpor_branch *copy =
        dpor_new_branch(d, (struct dpor_branch){.process = b->process, .op = b->op});
    *end = copy;
    if (b->next)
      copy->children = copy_branches(d, b->children);
    end = b->next ? &copy->next : &copy->children;
    b = b->next ? b->next : b->children;
  }
  return first;
}

struct dpor_mark dpor_here(struct dpor *d) {
  return (struct dpor_mark){d->events.length, d->sleepers.length, copy_branches(d, d->plan)};
}

void dpor_forget(struct dpor *d, const struct dpor_mark *m) {
  dpor_drop_branches(d, m->plan);
}

struct dpor_mark dpor_at_next(const struct dpor *d) {
  return (struct dpor_mark){d->events.length + 1, SIZE_MAX, NULL};
}

/* What was put to sleep since the mark was explored with another alternative, and is awake again. */
void dpor_back(struct dpor *d, const struct dpor_mark *m) {
  CHECK(m->events <= d->events.length || m->sleepers == SIZE_MAX, "back to event %zu of %zu",
        m->events, d->events.length);
  while (d->events.length > m->events)
    dpor_drop_branches(d, dpor_pop(d)->instead);
  if (d->sleepers.length > m->sleepers)
    d->sleepers.length = m->sleepers;
  d->at = (uint32_t)d->events.length;
  dpor_drop_plan(d);
  d->plan = copy_branches(d, m->plan);
}

/* ---- ahead of the search ---- */

void dpor_preview_begin(const struct dpor *d, struct dpor_preview *p) {
  p->plan = d->plan;
  p->sleepers.length = 0;
  for (size_t i = d->sleep_begin; i < d->sleepers.length; i++)
    vec_push(&p->sleepers, d->sleepers.data[i]);
}

static bool sleeps_in(const struct dpor_preview *p, uint32_t process) {
  for (size_t i = 0; i < p->sleepers.length; i++)
    if (p->sleepers.data[i].process == process)
      return true;
  return false;
}

uint32_t dpor_preview_pick(struct dpor_preview *p, const struct operation *options,
                           uint32_t count) {
  for (; p->plan; p->plan = p->plan->next) {
    uint32_t planned = dpor_option_of(options, count, p->plan->process);
    if (planned != DPOR_NOBODY)
      return planned;
  }
  for (uint32_t i = 0; i < count; i++)
    if (!sleeps_in(p, dpor_process(&options[i])))
      return i;
  return DPOR_NOBODY;
}

void dpor_preview_take(const struct dpor *d, struct dpor_preview *p, const struct operation *o) {
  uint32_t process = dpor_process(o);
  p->plan = p->plan && p->plan->process == process ? p->plan->children : NULL;
  size_t kept = 0;
  for (size_t i = 0; i < p->sleepers.length; i++) {
    struct dpor_sleeper s = p->sleepers.data[i];
    if (s.process != process && dpor_commute(d, &s.op, o))
      p->sleepers.data[kept++] = s;
  }
  p->sleepers.length = kept;
}

/* ---- what parts an execution from earlier ones ---- */

/* Is there another event that wakes the sleeper, and does not happen after the one at that position?  pre: that one
 * wakes it. */
static bool woken_otherwise(const struct dpor *d, const struct dpor_sleeper *s, uint32_t position) {
  for (uint32_t i = position + 1; i < d->events.length; i++) {
    const struct dpor_event *e = &d->events.data[i];
    if (e->process == s->process)
      return false;
    if (!dpor_before(d, position, i) && !dpor_commute(d, &s->op, &e->op))
      return true;
  }
  return false;
}

void dpor_out_of_turn(const struct dpor *d, dpor_positions *out) {
  out->length = 0;
  for (uint32_t i = 0; i < d->events.length; i++) {
    const struct dpor_event *e = &d->events.data[i];
    bool parts = false;
    for (uint32_t n = e->sleep_begin; n < e->sleep_end && !parts; n++) {
      const struct dpor_sleeper *s = &d->sleepers.data[n];
      parts =
          s->process != e->process && !dpor_commute(d, &s->op, &e->op) && !woken_otherwise(d, s, i);
    }
    if (parts)
      vec_push(out, i);
  }
}
