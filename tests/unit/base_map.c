/* The table of words, against an array. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/map.h"
#include "base/rng.h"

#define KEYS 5000

static void values_are_kept(void **state) {
  (void)state;
  struct map m = {0};
  struct rng r = {3};
  uint32_t values[KEYS] = {0}, known = 0;
  assert_int_equal(map_get(&m, 1), 0);
  for (int i = 0; i < 4 * KEYS; i++) {
    uint32_t k = (uint32_t)rng_below(&r, KEYS);
    uint64_t key = ((uint64_t)k + 1) * 0x10000001u;
    if (map_get(&m, key) != values[k])
      fail_msg("key %u has %u, not %u", k, map_get(&m, key), values[k]);
    uint32_t *value = map_at(&m, key);
    known += !values[k];
    assert_int_equal(*value, values[k]);
    *value = values[k] = 1 + (uint32_t)i;
  }
  assert_true(m.count == known && m.count * 2 <= m.capacity + 2);
  map_free(&m);
  assert_int_equal(map_get(&m, 1), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(values_are_kept)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
