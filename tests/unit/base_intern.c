/* Numbers for byte strings: equal or not, whatever their hashes say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/intern.h"

static void numbers(void **state) {
  (void)state;
  struct intern i = {0};
  assert_int_equal(intern(&i, "a", 1), 1);
  assert_int_equal(intern(&i, "ab", 2), 2);
  assert_int_equal(intern(&i, "", 0), 3);
  assert_int_equal(intern(&i, "ab", 1), 1);
  assert_int_equal(intern(&i, "ab", 2), 2);
  for (uint32_t n = 0; n < 10000; n++)
    assert_int_equal(intern(&i, &n, sizeof n), 4 + n);
  for (uint32_t n = 0; n < 10000; n++)
    assert_int_equal(intern(&i, &n, sizeof n), 4 + n);
  assert_int_equal(intern(&i, "a", 1), 1); /* also what was there before the table grew */
  assert_int_equal(intern(&i, "", 0), 3);
}

static void same_hash(void **state) {
  (void)state;
  struct intern i = {0};
  assert_int_equal(intern(&i, "one", 3), 1);
  assert_int_equal(intern(&i, "two", 3), 2);
  i.items.data[0].hash = i.items.data[1].hash; /* as if they collided, the first one found first */
  for (size_t k = 0; k < i.table_size; k++)
    i.table[k] = 1;
  i.table[(i.items.data[1].hash + 1) & (i.table_size - 1)] = 2;
  assert_int_equal(intern(&i, "two", 3), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(same_hash)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
