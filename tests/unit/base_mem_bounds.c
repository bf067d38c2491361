/* Blocks and their bounds; under AddressSanitizer, also that the allocator tells it about them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include <stdbool.h>
#include <string.h>

#if defined __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED
int __asan_address_is_poisoned(void const volatile *address);
#endif
#endif

static bool is_zero(const char *p, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (p[i])
      return false;
  return true;
}

static void blocks_are_zeroed(void **state) {
  (void)state;
  for (size_t n = 1; n < 5000; n = n * 3 / 2 + 1) {
    char *p = mem_alloc(n);
    assert_true(is_zero(p, n));
    memset(p, 1, n);
    mem_free(p, n);
    p = mem_alloc(n);
    assert_true(is_zero(p, n));
    mem_free(p, n);
  }
}

static void resizing_keeps_what_was_there(void **state) {
  (void)state;
  char *p = mem_resize(NULL, 0, 3);
  size_t n = 3;
  memcpy(p, "ab", 3);
  for (size_t more = 4; more < 5000; more = more * 2 + 1) {
    p = mem_resize(p, n, more);
    assert_string_equal(p, "ab");
    assert_true(is_zero(p + n, more - n));
    n = more;
  }
  mem_free(p, n);
}

static void other_bytes_are_out_of_bounds(void **state) {
  (void)state;
#ifdef SANITIZED
  char *p = mem_alloc(10);
  assert_false(__asan_address_is_poisoned(p + 9));
  assert_true(__asan_address_is_poisoned(p + 10));
  p = mem_resize(p, 10, 13);
  assert_false(__asan_address_is_poisoned(p + 12));
  assert_true(__asan_address_is_poisoned(p + 13));
  mem_free(p, 13);
  assert_true(__asan_address_is_poisoned(p));
  char *q = mem_alloc(12);
  assert_ptr_equal(p, q);
  assert_false(__asan_address_is_poisoned(q));
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_are_zeroed),
      cmocka_unit_test(resizing_keeps_what_was_there),
      cmocka_unit_test(other_bytes_are_out_of_bounds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
