#include "base/bigint.h"
#include "base/check.h"

#define BASE 1000000000u

void bigint_set(struct bigint *n, uint32_t value) {
  n->digits.length = 0;
  for (; value; value /= BASE)
    vec_push(&n->digits, value % BASE);
}

void bigint_multiply(struct bigint *n, uint32_t factor) {
  uint64_t carry = 0;
  for (size_t i = 0; i < n->digits.length; i++) {
    carry += (uint64_t)n->digits.data[i] * factor;
    n->digits.data[i] = (uint32_t)(carry % BASE);
    carry /= BASE;
  }
  for (; carry; carry /= BASE)
    vec_push(&n->digits, (uint32_t)(carry % BASE));
}

static void drop_zeros(struct bigint *n) {
  while (n->digits.length && vec_last(&n->digits) == 0)
    n->digits.length--;
}

void bigint_divide(struct bigint *n, uint32_t divisor) {
  uint64_t rest = 0;
  for (size_t i = n->digits.length; i-- > 0;) {
    rest = rest * BASE + n->digits.data[i];
    n->digits.data[i] = (uint32_t)(rest / divisor);
    rest %= divisor;
  }
  CHECK(rest == 0, "a division by %u leaves %u", divisor, (unsigned)rest);
  drop_zeros(n);
}

void bigint_add(struct bigint *n, const struct bigint *other) {
  uint32_t carry = 0;
  for (size_t i = 0; i < other->digits.length || carry; i++) {
    if (i == n->digits.length)
      vec_push(&n->digits, 0);
    uint32_t sum =
        n->digits.data[i] + carry + (i < other->digits.length ? other->digits.data[i] : 0);
    n->digits.data[i] = sum % BASE;
    carry = sum / BASE;
  }
}

static bool is_less(const struct bigint *a, const struct bigint *b) {
  if (a->digits.length != b->digits.length)
    return a->digits.length < b->digits.length;
  size_t i = a->digits.length;
  while (i > 0 && a->digits.data[i - 1] == b->digits.data[i - 1])
    i--;
  return i > 0 && a->digits.data[i - 1] < b->digits.data[i - 1];
}

void bigint_subtract(struct bigint *n, const struct bigint *other) {
  bool borrow = false;
  if (is_less(n, other)) {
    bigint_set(n, 0);
    return;
  }
  for (size_t i = 0; i < n->digits.length; i++) {
    uint32_t less = (i < other->digits.length ? other->digits.data[i] : 0) + borrow;
    borrow = n->digits.data[i] < less;
    n->digits.data[i] += (borrow ? BASE : 0) - less;
  }
  drop_zeros(n);
}

void bigint_add_number(struct bigint *n, uint64_t other) {
  uint64_t carry = other;
  for (size_t i = 0; carry; i++) {
    if (i == n->digits.length)
      vec_push(&n->digits, 0);
    uint64_t sum = n->digits.data[i] + carry % BASE;
    carry = carry / BASE + sum / BASE;
    n->digits.data[i] = (uint32_t)(sum % BASE);
  }
}

bool bigint_small(const struct bigint *n, uint64_t *value) {
  uint64_t v = 0;
  for (size_t i = n->digits.length; i-- > 0;)
    if (__builtin_mul_overflow(v, BASE, &v) || __builtin_add_overflow(v, n->digits.data[i], &v))
      return false;
  *value = v;
  return true;
}

void bigint_format(const struct bigint *n, struct str *out) {
  size_t i = n->digits.length;
  if (i == 0) {
    str_append_char(out, '0');
    return;
  }
  str_format(out, "%u", n->digits.data[--i]);
  while (i-- > 0)
    str_format(out, "%09u", n->digits.data[i]);
}

void bigint_free(struct bigint *n) {
  vec_free(&n->digits);
}
