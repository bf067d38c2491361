/* Searches that grow in different ways, of known size: what is expected of the rest after a tenth. */
#include "base/curve.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define STEPS 2000
#define SIZE 5000.0

/* What is done at that share of the search, as a share of the work. */
typedef double growth(double share);

static double even(double x) {
  return x;
}
static double square(double x) {
  return x * x;
}
static double cube(double x) {
  return x * x * x;
}
static double slower(double x) {
  return sqrt(x);
}
static double rough(double x) { /* heavy and light parts in turn */
  double part = x * 40;
  return (floor(part) + (part - floor(part) < 0.5 ? 0.1 : 1)) / 41;
}

static void assert_expects(growth *g, double done, double factor) {
  struct curve c = {0};
  for (int i = 1; i < STEPS && g((double)i / STEPS) <= done; i++)
    curve_add(&c, (double)i / STEPS, SIZE * g((double)i / STEPS));
  double expected = curve_end(&c);
  assert_true(expected >= SIZE / factor && expected <= SIZE * factor);
  curve_free(&c);
}

static void ends_are_foreseen(void **state) {
  growth *all[] = {even, square, cube, slower, rough};
  (void)state;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    assert_expects(all[i], 0.1, 2);
    assert_expects(all[i], 0.3, 2);
    assert_expects(all[i], 0.7, 1.5);
  }
  assert_expects(even, 0.1, 1.02);
  assert_expects(square, 0.1, 1.3); /* linear between doublings */
}

static void little_says_nothing(void **state) {
  struct curve c = {0};
  (void)state;
  assert_true(curve_end(&c) == 0);
  for (int i = 0; i < 50; i++)
    curve_add(&c, 0.25 + i * 0.0001, i);
  assert_true(curve_end(&c) == 0);
  curve_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ends_are_foreseen),
      cmocka_unit_test(little_says_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
