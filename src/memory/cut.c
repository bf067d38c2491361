#include "memory/cut.h"

static const struct cut_bounds unknown = {
    .high = CUT_OPEN, .low_step = TRACE_NONE, .high_step = TRACE_NONE};

static struct cut_bounds *bounds_of(struct cuts *c, int level, uint32_t thread) {
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

/* Up to the first step of which it is not known one comparison tells. */
static void find_first(struct cuts *c, const struct clock *clock) {
  uint32_t first = TRACE_NONE;
  for (uint32_t t = 0; t < clock->ticks.length; t++) {
    uint32_t low = t < c->threads[0].length ? c->threads[0].data[t].low : 0;
    uint32_t next = clock_next_step(clock, t, low);
    first = next < first ? next : first;
  }
  if (first == c->whole_first)
    return;
  vec_push(&c->trail, ((struct cut_change){.first = true, .before.low = c->whole_first}));
  c->whole_first = first;
}

bool cut_require(struct cuts *c, const struct clock *clock, uint32_t step) {
  if (cut_requires(c, clock, step))
    return true; /* and with it all that happens before it */
  int level = clock->times.data[step].level, threads = clock_threads(clock, level);
  bool possible = true;
  for (int t = 0; t < threads; t++) {
    uint32_t n = clock_component(clock, step, t);
    if (n == 0)
      continue;
    struct cut_bounds *b = bounds_of(c, level, (uint32_t)t);
    if (n > b->low) {
      save(c, level, (uint32_t)t, b);
      b->low = n;
      b->low_step = step;
    }
    possible &= b->low < b->high;
  }
  if (level == 0)
    find_first(c, clock);
  return possible;
}

bool cut_forbid(struct cuts *c, const struct clock *clock, uint32_t step) {
  const struct clock_time *time = &clock->times.data[step];
  struct cut_bounds *b = bounds_of(c, time->level, time->thread);
  if (time->tick < b->high) {
    save(c, time->level, time->thread, b);
    b->high = time->tick;
    b->high_step = step;
  }
  return b->low < b->high;
}

size_t cut_mark(const struct cuts *c) {
  return c->trail.length;
}

void cut_undo(struct cuts *c, size_t mark) {
  while (c->trail.length > mark) {
    struct cut_change x = vec_pop(&c->trail);
    if (x.first)
      c->whole_first = x.before.low;
    else if (x.added)
      c->threads[x.level].length--;
    else
      c->threads[x.level].data[x.thread] = x.before;
  }
}

void cut_free(struct cuts *c) {
  for (int i = 0; i < CUT_LEVELS; i++)
    vec_free(&c->threads[i]);
  vec_free(&c->trail);
}
