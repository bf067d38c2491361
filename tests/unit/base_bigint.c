/* Numbers of any size against __int128. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bigint.h"
#include "base/rng.h"

typedef unsigned __int128 wide;

static void set(struct bigint *n, wide value) {
  bigint_set(n, 0);
  bigint_add_number(n, (uint64_t)(value >> 64));
  for (int i = 0; i < 4; i++)
    bigint_multiply(n, 1 << 16);
  bigint_add_number(n, (uint64_t)value);
}

static void put(struct str *out, wide value) {
  if (value >= 10)
    put(out, value / 10);
  str_append_char(out, (char)('0' + (int)(value % 10)));
}

static void check(const struct bigint *n, wide value) {
  struct str got = {0}, want = {0};
  uint64_t small = 0;
  bigint_format(n, &got);
  put(&want, value);
  assert_string_equal(str_text(&got), str_text(&want));
  assert_int_equal(bigint_small(n, &small), value >> 64 == 0);
  if (value >> 64 == 0)
    assert_int_equal(small, (uint64_t)value);
  str_free(&got);
  str_free(&want);
}

/* Products of small numbers mostly, as numbers of executions are. */
static uint32_t factor(struct rng *r) {
  static const uint32_t some[] = {1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 17, 81, 1024, 30030, 999999937};
  return some[rng_next(r) % (sizeof some / sizeof *some)];
}

static void step(struct rng *r, struct bigint *n, wide *value, const struct bigint *other,
                 const wide *more) {
  uint32_t f = factor(r);
  switch (rng_next(r) % 6) {
  case 0:
    bigint_add(n, other);
    *value += *more;
    break;
  case 1:
    bigint_subtract(n, other);
    *value -= *value < *more ? *value : *more;
    break;
  case 2:
    bigint_add_number(n, f);
    *value += f;
    break;
  case 3:
    if (*value % f == 0) {
      bigint_divide(n, f);
      *value /= f;
    }
    break;
  case 4:
    if (rng_next(r) % 16 == 0) {
      set(n, f);
      *value = f;
    }
    break;
  default:
    bigint_multiply(n, f);
    *value *= f;
  }
}

static void numbers_are_exact(void **state) {
  (void)state;
  struct rng r = {.state = 7};
  struct bigint a = {0}, b = {0};
  wide x = 0, y = 0;
  for (int i = 0; i < 200000; i++) {
    if (rng_next(&r) % 2)
      step(&r, &a, &x, &b, &y);
    else
      step(&r, &b, &y, &a, &x);
    if (x >> 90)
      set(&a, x = 3 * 1024);
    if (y >> 90)
      set(&b, y = 0);
    check(&a, x);
    check(&b, y);
  }
  bigint_free(&a);
  bigint_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_are_exact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
