/* Units of a search over bounded schedules of a pm program.  As text a unit is "FROM:TO", the two positions
 * (explore/token.h) that enclose it. */
#include "explore/dpor_unit.h"
#include "search/search_internal.h"
#include <string.h>

#define NOWHERE "-"

static struct { bool handed_over; /* the rest of the unit under way */ } units;

/* ---- as text ---- */

/* A unit is a list of nodes (explore/dpor_unit.h); here the last one says everything. */
static bool load(const char *unit) {
  struct choices *c = &search.history.choices;
  const char *last = strrchr(unit, ';'), *colon = last ? strchr(last, ':') : NULL;
  struct str from = {0};
  if (strcmp(unit, DPOR_WHOLE) == 0)
    return choice_set_range(c, "", NULL);
  if (!colon)
    return false;
  str_append_bytes(&from, last + 1, (size_t)(colon - last - 1));
  bool good =
      choice_set_range(c, str_text(&from), strcmp(colon + 1, NOWHERE) == 0 ? NULL : colon + 1);
  str_free(&from);
  return good;
}

static void put_end(const struct choices *c, struct str *out) {
  str_append_char(out, ':');
  if (c->bounded)
    token_append(out, &c->to);
  else
    str_append(out, NOWHERE);
}

static void tell_rest(struct str *out) {
  const struct choices *c = &search.history.choices;
  choice_position(c, out);
  put_end(c, out);
}

static bool divide(struct str *lines) {
  struct choices *c = &search.history.choices;
  struct str where = {0}, end = {0};
  put_end(c, &end);
  bool divided = choice_split(c, &where);
  if (divided)
    str_format(lines, "0 %s%s\n", str_text(&where), str_text(&end));
  str_free(&where);
  str_free(&end);
  return divided;
}

const struct unit_form search_form = {.load = load, .divide = divide, .tell_rest = tell_rest};

/* ---- exploring them ---- */

static void boundary(struct choices *c) {
  if (search.restart || search.unit_goes_on())
    return;
  units.handed_over = true;
  choice_stop(c);
}

/* The trie of executions before a failure loses what was explored (search_next_option), so it must not be that of
 * another unit.  Only the worker that explores the whole search may start again by itself. */
static void explore_unit(const struct unit *u) {
  struct search *s = &search;
  struct choices *c = &s->history.choices;
  units.handed_over = false;
  search_forget_initial();
  search_explore_range();
  while (u->whole && s->restart && !s->stopped(s)) {
    search_begin_again();
    s->reload_unit();
    search_explore_range();
  }
  if (!units.handed_over)
    s->unit_ends(c->diverged ? UNIT_UNDIVIDED : s->restart ? UNIT_BROKEN : UNIT_DONE);
  c->diverged = s->restart = false;
}

void search_explore_units(void) {
  struct unit u;
  search.history.choices.boundary = boundary;
  search_begin_again();
  while (search.next_unit(&u))
    explore_unit(&u);
}
