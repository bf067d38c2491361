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
  assert_expects(square, 0.1, 1.02);
}

/* Machines: the share of the time at 0.05, 0.1, 0.2, ..., 0.9 of the first failures, measured. */
static const struct {
  double factor_max; /* 2 to the number of failures */
  double at[10];
} measured[] = {
    {2, {0.02, 0.07, 0.20, 0.38, 0.50, 0.61, 0.71, 0.81, 0.90, 0.96}}, /* cceh-cxl 60 2 */
    {2, {0.08, 0.12, 0.18, 0.25, 0.33, 0.44, 0.56, 0.68, 0.78, 0.89}}, /* clht-cxl 200 2 */
    {2, {0.03, 0.07, 0.22, 0.34, 0.43, 0.53, 0.64, 0.73, 0.80, 0.86}}, /* fastfair-cxl 100 2 */
    {4,
     {0.02, 0.03, 0.08, 0.17, 0.30, 0.44, 0.55, 0.65, 0.77, 0.89}}, /* 2 failures, cceh-cxl 20 2 */
    {4,
     {0.01, 0.01, 0.03, 0.06, 0.17, 0.27, 0.39, 0.51, 0.66, 0.86}}, /* 3 machines, clht-cxl 20 2 */
    {8,
     {0.00, 0.00, 0.01, 0.03, 0.08, 0.18, 0.39, 0.60, 0.79, 0.90}}, /* 3 failures, cceh-cxl 10 2 */
    {8,
     {0.00, 0.01, 0.02, 0.04, 0.06, 0.16, 0.30, 0.44, 0.58,
      0.80}}, /* 3 failures, fastfair-cxl 12 2 */
};

static double measured_at(const double at[10], double share) {
  static const double shares[] = {0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};
  int i = 0;
  while (shares[i + 1] < share)
    i++;
  double low = i ? at[i - 1] : 0, high = i < 10 ? at[i] : 1;
  return low + (high - low) * (share - shares[i]) / (shares[i + 1] - shares[i]);
}

static void machines_are_foreseen(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof measured / sizeof *measured; k++)
    for (double done = 0.1; done < 0.95; done += 0.1) {
      struct curve c = {.factor_max = measured[k].factor_max};
      for (int i = 1; i < STEPS && measured_at(measured[k].at, (double)i / STEPS) <= done; i++)
        curve_add(&c, (double)i / STEPS, SIZE * measured_at(measured[k].at, (double)i / STEPS));
      double expected = curve_end(&c);
      double factor = done < 0.15 ? 2.05 : 2.3;
      assert_true(expected >= SIZE / factor && expected <= SIZE * factor);
      curve_free(&c);
    }
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
      cmocka_unit_test(machines_are_foreseen),
      cmocka_unit_test(little_says_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
