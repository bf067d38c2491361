/* Rows of numbers against one number after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fours.h"
#include "base/rng.h"

#define LENGTH 12
#define ROUNDS 2000

/* Small numbers, and the largest that there may be. */
static void fill(struct rng *rng, uint32_t *row) {
  for (int i = 0; i < LENGTH; i++)
    row[i] = (uint32_t)(rng_next(rng) % 3) + (rng_next(rng) % 4 == 0 ? INT32_MAX - 2u : 0);
}

static void rows_are_as_their_numbers(void **state) {
  (void)state;
  struct rng rng = {.state = 5};
  for (int n = 0; n < ROUNDS; n++) {
    uint32_t a[LENGTH], b[LENGTH], raised[LENGTH];
    bool within = true;
    uint32_t length = fours_up(1 + (uint32_t)(rng_next(&rng) % LENGTH));
    fill(&rng, a);
    fill(&rng, b);
    for (uint32_t i = 0; i < LENGTH; i++)
      raised[i] = a[i];
    fours_raise(raised, b, length);
    for (uint32_t i = 0; i < LENGTH; i++) {
      assert_int_equal(raised[i], i < length && b[i] > a[i] ? b[i] : a[i]);
      within &= i >= length || a[i] <= b[i];
    }
    assert_int_equal(fours_within(a, b, length), within);
    assert_true(fours_within(a, raised, length) && fours_within(b, raised, length));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_as_their_numbers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
