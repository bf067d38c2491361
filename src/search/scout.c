#include "search/scout.h"
#include "base/check.h"
#include <time.h>

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The one whose boundary() is called: choices have no pointer to it. */
static struct scout *current;

double scout_seconds(const struct scout *s) {
  return cpu_seconds() - s->since - s->spent;
}

/* The first time after s->after seconds, then whenever looks ahead have taken less than half of their share. */
bool scout_is_time(struct scout *s, uint32_t calls) {
  if (s->every)
    return s->waits++ % s->every == 0;
  if (s->waits++ % calls)
    return false;
  double searched = scout_seconds(s);
  return searched > s->after && searched > 2 * s->spent * (s->share - 1);
}

static void boundary(struct choices *c) {
  struct scout *s = current;
  if (s->on)
    return;
  if (s->boundary)
    s->boundary(c);
  if (c->past || s->due || !scout_is_time(s, SCOUT_CALLS))
    return;
  str_clear(&s->rest);
  choice_token(c, &s->rest);
  s->due = true;
  choice_stop(c);
}

void scout_begin(struct scout *s, struct choices *c, bool allowed) {
  s->since = cpu_seconds();
  if (!allowed)
    return;
  current = s;
  s->boundary = c->boundary;
  c->boundary = boundary;
}

bool scout_is_over(struct scout *s) {
  return !s->every && s->waits++ % SCOUT_CALLS == 0 && cpu_seconds() > s->until;
}

void scout_begin_look(struct scout *s) {
  s->began = cpu_seconds();
  s->until = s->began + scout_seconds(s) / (s->share - 1) - s->spent;
  s->on = true;
}

bool scout_goes_on(const struct scout *s) {
  return cpu_seconds() < s->until;
}

void scout_end_look(struct scout *s) {
  s->on = false;
  s->spent += cpu_seconds() - s->began;
}

void scout_look(struct scout *s, struct choices *c, void (*walk)(uint32_t deviations)) {
  struct str to = {0};
  bool bounded = c->bounded;
  CHECK(s->due && !s->on && c->stack.length == 0, "a look ahead from within");
  scout_begin_look(s);
  token_append(&to, &c->to);
  s->due = false;
  do {
    choice_set_range(c, "", NULL);
    walk(s->bound);
    if (c->past)
      break;
    s->bound++;
  } while (scout_goes_on(s));
  scout_end_look(s);
  choice_set_range(c, str_text(&s->rest), bounded ? str_text(&to) : NULL);
  str_free(&to);
}
