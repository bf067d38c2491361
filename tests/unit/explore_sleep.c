/* Sleep sets against all schedules: of those that nobody can tell apart exactly one is completed, and
 * every state that some schedule reaches is visited.
 *
 * Two schedules are told apart by the order of operations that are not independent.  So what a schedule
 * has come to is, as bits: how far each thread is, and for each such pair that has happened, which came
 * first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "explore/sleep.h"
#include <stdlib.h>
#include <string.h>

#define THREADS 3
#define STEPS 3
#define SEEN_MAX 40000

struct program {
  struct operation steps[THREADS][STEPS];
  int length[THREADS];
};

struct point {
  int at[THREADS];
  struct operation done[THREADS * STEPS];
  int order[THREADS * STEPS]; /* thread * STEPS + step */
  int count;
};

struct seen {
  uint64_t states[SEEN_MAX];
  size_t count;
};

static struct seen all_states, all_ends, states, ends;

static void add(struct seen *s, uint64_t what) {
  assert_true(s->count < SEEN_MAX);
  s->states[s->count++] = what;
}

static int compare(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/* Sorted, each once; returns how many were twice. */
static size_t sort(struct seen *s) {
  size_t kept = 0;
  qsort(s->states, s->count, sizeof *s->states, compare);
  for (size_t i = 0; i < s->count; i++)
    if (i == 0 || s->states[i] != s->states[kept - 1])
      s->states[kept++] = s->states[i];
  size_t twice = s->count - kept;
  s->count = kept;
  return twice;
}

static uint64_t state_of(const struct point *p) {
  uint64_t bits = 0;
  for (int t = 0; t < THREADS; t++)
    bits |= (uint64_t)p->at[t] << (2 * t);
  for (int i = 0; i < p->count; i++)
    for (int j = 0; j < i; j++) {
      int a = p->order[j], b = p->order[i]; /* a came first */
      if (a / STEPS == b / STEPS || a < b || operations_independent(&p->done[j], &p->done[i]))
        continue;
      /* one bit for each pair of steps of different threads: b before a is the other order */
      int pair = (b / STEPS + a / STEPS - 1) * STEPS * STEPS + b % STEPS * STEPS + a % STEPS;
      bits |= (uint64_t)1 << (6 + pair);
    }
  return bits;
}

static int options_at(const struct program *g, const struct point *p, struct operation *out) {
  int n = 0;
  for (int t = 0; t < THREADS; t++)
    if (p->at[t] < g->length[t])
      out[n++] = g->steps[t][p->at[t]];
  return n;
}

static struct point after(const struct point *p, const struct operation *o) {
  struct point next = *p;
  next.order[next.count] = o->thread * STEPS + next.at[o->thread]++;
  next.done[next.count++] = *o;
  return next;
}

static void explore_all(const struct program *g, const struct point *p) {
  struct operation options[THREADS];
  int n = options_at(g, p, options);
  add(n ? &all_states : &all_ends, state_of(p));
  for (int i = 0; i < n; i++) {
    struct point next = after(p, &options[i]);
    explore_all(g, &next);
  }
}

static void explore(const struct program *g, const struct point *p, struct sleep *s) {
  struct operation options[THREADS];
  uint32_t n = (uint32_t)options_at(g, p, options);
  add(n ? &states : &ends, state_of(p));
  struct sleep_mark here = sleep_here(s);
  for (uint32_t i = 0; (i = sleep_first_awake(s, options, n, i)) < n; i++) {
    struct point next = after(p, &options[i]);
    sleep_take(s, options, i);
    explore(g, &next, s);
    sleep_return(s, here);
  }
}

static struct program draw(struct rng *r) {
  static const enum operation_kind kinds[] = {OPERATION_READ,  OPERATION_READ,  OPERATION_WRITE,
                                              OPERATION_WRITE, OPERATION_FLUSH, OPERATION_FENCE,
                                              OPERATION_LOCK};
  struct program g = {0};
  for (int t = 0; t < THREADS; t++) {
    g.length[t] = 1 + (int)(rng_next(r) % STEPS);
    for (int i = 0; i < g.length[t]; i++)
      g.steps[t][i] =
          (struct operation){.kind = (uint8_t)kinds[rng_next(r) % 7],
                             .thread = (uint16_t)t,
                             .address = 0x1000 + rng_next(r) % 3 * 64 + rng_next(r) % 2 * 8,
                             .size = 8};
  }
  return g;
}

static void nothing_is_lost_and_nothing_done_twice(void **state) {
  (void)state;
  struct rng r = {.state = 1};
  size_t left_out = 0;
  for (int i = 0; i < 150; i++) {
    struct program g = draw(&r);
    struct point start = {0};
    struct sleep sleep = {0};
    all_states.count = all_ends.count = states.count = ends.count = 0;
    explore_all(&g, &start);
    explore(&g, &start, &sleep);
    sort(&all_states);
    left_out += sort(&all_ends);
    sort(&states);
    assert_int_equal(sort(&ends), 0);
    assert_int_equal(ends.count, all_ends.count);
    assert_memory_equal(ends.states, all_ends.states, ends.count * sizeof *ends.states);
    assert_int_equal(states.count, all_states.count);
    assert_memory_equal(states.states, all_states.states, states.count * sizeof *states.states);
    vec_free(&sleep.all);
  }
  assert_true(left_out > 1000); /* there was something to leave out */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_lost_and_nothing_done_twice)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
