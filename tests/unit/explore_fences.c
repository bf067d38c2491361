/* The fewest fences, against every choice of places for small random programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/fences.h"
#include "analysis/store_buffer.h"
#include "base/rng.h"

#define STEPS 4 /* of each of two threads */
#define LINES 6
#define PROGRAMS 40

static struct abi_site sites[LINES];
static struct operation programs[2][STEPS];
static VEC(struct operation) execution;

static void make_program(struct rng *r) {
  for (int t = 0; t < 2; t++)
    for (int i = 0; i < STEPS; i++)
      programs[t][i] = (struct operation){
          .kind = rng_below(r, 2) ? OPERATION_READ : OPERATION_WRITE,
          .order = 1 + ABI_RELAXED,
          .thread = (uint16_t)t,
          .size = 8,
          .address = 64 * (1 + rng_below(r, 2)),
          .site =
              &sites[(uint32_t)i + rng_below(r, LINES - STEPS + 1)]}; /* ascending, or the same */
}

/* Every order of the two threads, with fences behind the lines of the set. */
static void each_execution(unsigned set, void (*look)(void *), void *context) {
  for (unsigned order = 0; order < 1u << (2 * STEPS); order++) {
    if (__builtin_popcount(order) != STEPS)
      continue;
    int at[2] = {0, 0};
    execution.length = 0;
    for (int i = 0; i < 2 * STEPS; i++) {
      int t = order >> i & 1;
      const struct operation *o = &programs[t][at[t]], *before = at[t] ? o - 1 : NULL;
      if (before && before->site != o->site && set >> (before->site - sites) & 1)
        vec_push(&execution, ((struct operation){.kind = OPERATION_FENCE,
                                                 .order = 1 + ABI_SEQ_CST,
                                                 .drained = true,
                                                 .thread = (uint16_t)t}));
      vec_push(&execution, *o);
      at[t]++;
    }
    look(context);
  }
}

static void look_for_objections(void *unsafe) {
  static struct store_buffer monitor;
  store_buffer_follow(&monitor, execution.data, execution.length, 0);
  *(bool *)unsafe |= monitor.reports.length > 0;
}

static bool is_unsafe(unsigned set) {
  bool unsafe = false;
  each_execution(set, look_for_objections, &unsafe);
  return unsafe;
}

struct consideration {
  struct fences fences;
  bool changed;
};

static void consider(void *context) {
  struct consideration *c = context;
  c->changed |= fences_consider(&c->fences, execution.data, execution.length);
}

static void no_choice_is_smaller(void **state) {
  (void)state;
  struct rng r = {7};
  int with_fences = 0, several = 0;
  for (int line = 0; line < LINES; line++)
    sites[line] = (struct abi_site){.file = "x.c", .line = 1 + (uint32_t)line};
  for (int n = 0; n < PROGRAMS; n++) {
    make_program(&r);
    struct consideration c = {.changed = true};
    while (c.changed && !c.fences.hopeless) {
      c.changed = false;
      each_execution(0, consider, &c);
    }
    int fewest = -1;
    for (unsigned set = 0; set < 1u << LINES; set++)
      if ((fewest < 0 || __builtin_popcount(set) < fewest) && !is_unsafe(set))
        fewest = __builtin_popcount(set);
    assert_int_equal(c.fences.hopeless, fewest < 0);
    if (fewest < 0)
      continue;
    unsigned chosen = 0;
    for (size_t i = 0; i < c.fences.places.length; i++)
      chosen |= (unsigned)c.fences.places.data[i].chosen << (c.fences.places.data[i].site - sites);
    assert_int_equal(__builtin_popcount(chosen), fewest);
    assert_false(is_unsafe(chosen));
    with_fences += fewest > 0;
    several += fewest > 1;
  }
  assert_true(with_fences > 5 && several > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_choice_is_smaller)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
