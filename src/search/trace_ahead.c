#include "search/trace_ahead.h"
#include "access/schedule.h"
#include "access/spin.h"
#include "explore/strategy.h"
#include "search/search_internal.h"
#include "search/traces.h"

/* Priorities change at this many places, in turn. */
static const uint32_t depths[] = {2, 1, 3};

/* The first walk is left for a second time after so many times the CPU seconds that it was left after, and so on: what
 * is walked once more stays a small part of all. */
#define LATER 8
/* Executions between looks at the clock. */
#define BETWEEN 8

void trace_ahead_begin(void) {
  traces.ahead.first = true;
  traces.ahead.due = traces.ahead.again = false;
  traces.ahead.schedules = search.schedules;
  traces.ahead.failure_points = search.failure_points;
}

void trace_ahead_check(void) {
  struct trace_ahead *a = &traces.ahead;
  struct search *s = &search;
  if (!a->allowed || !a->first || a->due || s->scout.on || !scout_is_time(&s->scout, SCOUT_CALLS) ||
      (s->scout.every && a->again) || scout_seconds(&s->scout) < a->leave_after)
    return;
  a->leave_after = scout_seconds(&s->scout) * LATER;
  a->due = true;
  choice_stop(&s->history.choices);
}

uint32_t trace_ahead_pick(const struct operation *options, uint32_t count) {
  return strategy_pick(&traces.ahead.strategy, &traces.ahead.picks, options, count);
}

/* Of every four samples one may have one more deviation, of these every fourth another one, ... */
static uint32_t deviations_of(uint64_t sample) {
  return 1 + (uint32_t)__builtin_ctzll(sample + 1) / 2;
}

/* The first one has the schedule that the search begins with. */
static void choose_schedule(uint64_t number, uint32_t length) {
  struct trace_ahead *a = &traces.ahead;
  a->strategy = (struct strategy){.kind = number ? STRATEGY_PCT : STRATEGY_FIXED,
                                  .parameter = depths[number % (sizeof depths / sizeof *depths)],
                                  .seed = search.strategy.seed,
                                  .length = length};
}

static uint32_t run(uint64_t number) {
  struct traces *t = &traces;
  uint32_t result;
  do {
    dpor_free(&t->dpor);
    strategy_begin(&t->ahead.strategy, &t->ahead.picks, number, TRACES_LEVEL);
    result = traces_run_once();
  } while (spin_ended() && !schedule.unfit && !search_over());
  return result;
}

static void sample(uint64_t number) {
  struct search *s = &search;
  struct traces *t = &traces;
  struct dpor kept = t->dpor;
  struct str learnt = {0};
  spin_tell(&learnt);
  choose_schedule(number, (uint32_t)kept.events.length + 1);
  t->dpor = (struct dpor){.pm = true};
  t->parting.length = 0;
  s->walk.limited = true;
  s->walk.deviations_max = deviations_of(number);
  uint32_t result = run(number);
  if (!schedule.unfit && !search_over())
    traces_cover(result);
  s->walk.limited = false;
  dpor_free(&t->dpor);
  t->dpor = kept;
  spin_hear(str_text(&learnt));
  str_free(&learnt);
  choice_set_range(&s->history.choices, "", NULL);
}

void trace_ahead_look(void) {
  struct search *s = &search;
  struct trace_ahead *a = &traces.ahead;
  if (!a->due && !(a->allowed && scout_is_time(&s->scout, BETWEEN)))
    return;
  choice_set_range(&s->history.choices, "", NULL);
  if (search_over())
    return;
  scout_begin_look(&s->scout);
  do {
    sample(a->samples++);
  } while (!schedule.unfit && !search_over() && scout_goes_on(&s->scout));
  scout_end_look(&s->scout);
}
