/* Units of the search over schedules of an ordinary program, as text (hexadecimal numbers):
 *
 *   all        as the reduction says (explore/dpor_unit.h)
 *   bounded:K  "GIVEN.C.C...": begin with choices C, C, ...; alternatives to the first GIVEN of them belong to others
 *   random, pct:D   "FROM.TO": the schedules with these numbers */
#include "access/ordinary.h"
#include "access/waiting.h"
#include "explore/dpor_unit.h"
#include "search/interleavings_internal.h"
#include <stdlib.h>
#include <string.h>

static bool samples(void) {
  return strategy_samples(&interleavings.strategy);
}

/* ---- as text ---- */

static uint64_t take(const char **text) {
  char *end;
  uint64_t n = strtoull(*text, &end, 16);
  *text = *end == '.' ? end + 1 : end;
  return n;
}

/* A unit is a list of nodes (explore/dpor_unit.h); here the last one says everything. */
static bool load(const char *unit) {
  struct interleavings *s = &interleavings;
  const char *last = strrchr(unit, ';');
  bool whole = strcmp(unit, DPOR_WHOLE) == 0;
  s->run = 0;
  s->runs_end = s->runs;
  s->choices.length = s->choices_given = 0;
  if (!last || whole)
    return whole;
  last++;
  if (samples()) {
    s->run = take(&last);
    s->runs_end = take(&last);
    return !*last && s->run < s->runs_end && s->runs_end <= s->runs;
  }
  s->choices_given = take(&last);
  while (*last)
    vec_push(&s->choices, ((struct interleavings_choice){.taken = (uint32_t)take(&last)}));
  return s->choices_given <= s->choices.length;
}

static void put_choices(struct str *out, size_t given, size_t count) {
  str_format(out, "%zx", given);
  for (size_t i = 0; i < count; i++)
    str_format(out, ".%x", interleavings.choices.data[i].taken);
}

static void tell_rest(struct str *out) {
  const struct interleavings *s = &interleavings;
  if (samples())
    str_format(out, "%lx.%lx", (unsigned long)s->run, (unsigned long)s->runs_end);
  else
    put_choices(out, s->choices_given, s->choices.length);
}

/* Give away the later half of the schedules. */
static bool divide_samples(struct str *lines) {
  struct interleavings *s = &interleavings;
  uint64_t left = s->runs_end - s->run, middle = s->run + (left + 1) / 2;
  if (left < 2)
    return false;
  str_format(lines, "0 %lx.%lx\n", (unsigned long)middle, (unsigned long)s->runs_end);
  s->runs_end = middle;
  return true;
}

/* Give away the alternatives to the oldest choice that has some left. */
static bool divide(struct str *lines) {
  struct interleavings *s = &interleavings;
  size_t at = s->choices_given;
  if (samples())
    return divide_samples(lines);
  while (at < s->choices.length && s->choices.data[at].taken + 1 >= s->choices.data[at].count)
    at++;
  if (at == s->choices.length)
    return false;
  str_append(lines, "0 ");
  s->choices.data[at].taken++;
  put_choices(lines, at, at + 1);
  s->choices.data[at].taken--;
  str_append_char(lines, '\n');
  s->choices_given = at + 1;
  return true;
}

const struct unit_form interleavings_form = {.load = load,
                                             .divide = divide,
                                             .tell_rest = tell_rest,
                                             .start_over = interleavings_forget_lengths};

/* ---- exploring them ---- */

/* pct: run the first schedules, if they belong to another unit, to know how long schedules are (INTERLEAVINGS_TRIALS).
 * False: the search must start again. */
static bool try_lengths(void) {
  struct interleavings *s = &interleavings;
  uint64_t first = s->run;
  if (s->strategy.kind != STRATEGY_PCT)
    return true;
  s->silent = true;
  for (s->run = 0; s->run < first && s->run < INTERLEAVINGS_TRIALS && !ordinary.broken; s->run++)
    if (!s->measured[s->run])
      interleavings_run_once();
  s->silent = false;
  s->run = first;
  return !ordinary.broken;
}

static void explore_rest(const struct unit *u) {
  struct interleavings *s = &interleavings;
  bool more, goes_on = true;
  s->since_ahead = 0;
  s->first_part = u->whole;
  do {
    interleavings_run_once();
    interleavings_look_ahead();
    more = !interleavings_over() && (ordinary.broken ? u->whole : interleavings_next());
    s->restarts += ordinary.broken;
    if (ordinary.broken && more)
      interleavings_begin_again();
    else if (more)
      goes_on = s->unit_goes_on();
  } while (more && goes_on);
  if (!more)
    s->unit_ends(ordinary.broken ? UNIT_BROKEN : UNIT_DONE);
}

/* Only the worker that explores the whole search may start again by itself. */
static void explore_unit(const struct unit *u) {
  struct interleavings *s = &interleavings;
  bool bounded = s->strategy.kind == STRATEGY_BOUNDED && s->all_first && u->whole;
  waiting_forget();
  if (bounded && interleavings_explore_classes()) {
    s->unit_ends(s->every_class ? UNIT_DONE : UNIT_PARTIAL);
  } else {
    if (bounded)
      interleavings_begin_again();
    if (try_lengths())
      explore_rest(u);
    else
      s->unit_ends(UNIT_BROKEN);
  }
  ordinary.broken = false;
}

void interleavings_explore_units(void) {
  struct unit u;
  interleavings.started();
  while (interleavings.next_unit(&u))
    explore_unit(&u);
}
