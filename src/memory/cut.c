#include "memory/cut.h"
#include "base/check.h"

static const struct cut_bounds unknown = {
    .high = CUT_OPEN, .low_step = TRACE_NONE, .high_step = TRACE_NONE};

static struct cut_bounds *bounds_of(struct cuts *c, int level, uint32_t thread) {
  CHECK(level >= 0 && level < CUT_LEVELS, "level %d", level);
  while (c->threads[level].length <= thread) {
    vec_push(&c->trail, ((struct cut_change){.level = (uint8_t)level, .added = true}));
    vec_push(&c->threads[level], unknown);
  }
  return &c->threads[level].data[thread];
}

static void save(struct cuts *c, int level, uint32_t thread, const struct cut_bounds *b) {
  vec_push(&c->trail, ((struct cut_change){
                          .level = (uint8_t)level, .thread = (uint16_t)thread, .before = *b}));
}

/* At least n steps of the thread have happened, as `step` says. */
static bool raise_low(struct cuts *c, int level, uint32_t thread, uint32_t n, uint32_t step) {
  struct cut_bounds *b = bounds_of(c, level, thread);
  if (n > b->low) {
    save(c, level, thread, b);
    b->low = n;
    b->low_step = step;
  }
  return b->low < b->high;
}

/* Advance whole_first: for steps before it, one comparison tells that they have happened. */
static void find_first(struct cuts *c, const struct clock *clock) {
  uint32_t first = TRACE_NONE;
  for (uint32_t t = 0; t < clock->ticks.length; t++) {
    uint32_t low = t < c->threads[0].length ? c->threads[0].data[t].low : 0;
    uint32_t next = clock_next_step(clock, t, low);
    first = next < first ? next : first;
  }
  CHECK(first >= c->whole_first, "what has happened is forgotten");
  if (first == c->whole_first)
    return;
  vec_push(&c->trail, ((struct cut_change){.first = true, .before.low = c->whole_first}));
  c->whole_first = first;
}

bool cut_require(struct cuts *c, const struct clock *clock, uint32_t step) {
  if (cut_requires(c, clock, step))
    return true; /* then all that happens before it is known, too */
  int level = clock->times.data[step].level, threads = clock_threads(clock, level);
  bool possible = true;
  for (int t = 0; t < threads; t++) {
    uint32_t n = clock_component(clock, step, t);
    if (n)
      possible &= raise_low(c, level, (uint32_t)t, n, step);
  }
  if (level == 0)
    find_first(c, clock);
  return possible;
}

bool cut_forbid(struct cuts *c, const struct clock *clock, uint32_t step) {
  const struct clock_time *time = &clock->times.data[step];
  return cut_forbid_step(
      c, time->level, &(struct cut_step){.thread = time->thread, .tick = time->tick, .step = step});
}

bool cut_require_step(struct cuts *c, int level, const struct cut_step *s) {
  if (cut_has(c, level, s))
    return true;
  bool possible = raise_low(c, level, s->thread, s->tick, s->step);
  for (uint32_t t = 0; t < s->threads; t++)
    if (t != s->thread && s->times[t])
      possible &= raise_low(c, level, t, s->times[t], s->step);
  return possible;
}

bool cut_forbid_step(struct cuts *c, int level, const struct cut_step *s) {
  struct cut_bounds *b = bounds_of(c, level, s->thread);
  CHECK(s->tick > 0, "a thread's beginning has not happened");
  if (s->tick < b->high) {
    save(c, level, s->thread, b);
    b->high = s->tick;
    b->high_step = s->step;
  }
  return b->low < b->high;
}

bool cut_has(const struct cuts *c, int level, const struct cut_step *s) {
  return s->thread < c->threads[level].length && c->threads[level].data[s->thread].low >= s->tick;
}

bool cut_may_have(const struct cuts *c, int level, const struct cut_step *s) {
  for (uint32_t t = 0; t < c->threads[level].length; t++) {
    uint32_t n = t == s->thread ? s->tick : t < s->threads ? s->times[t] : 0;
    if (n >= c->threads[level].data[t].high)
      return false;
  }
  return true;
}

size_t cut_mark(const struct cuts *c) {
  return c->trail.length;
}

void cut_undo(struct cuts *c, size_t mark) {
  CHECK(mark <= c->trail.length, "undo to %zu, at %zu", mark, c->trail.length);
  while (c->trail.length > mark) {
    struct cut_change x = vec_pop(&c->trail);
    if (x.first)
      c->whole_first = x.before.low;
    else if (x.added)
      c->threads[x.level].length--;
    else {
      struct cut_bounds *b = &c->threads[x.level].data[x.thread];
      CHECK(b->low >= x.before.low && b->high <= x.before.high, "facts were lost before");
      *b = x.before;
    }
  }
}

void cut_free(struct cuts *c) {
  for (int i = 0; i < CUT_LEVELS; i++)
    vec_free(&c->threads[i]);
  vec_free(&c->trail);
}
