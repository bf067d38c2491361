#include "base/bigint.h"
#include "base/check.h"
#include <string.h>

#define BASE 1000000000u
#define POWER_MAX 1000000000u /* a power of a prime that still is a factor */

static const uint32_t primes[BIGINT_PRIMES] = {2, 3, 5, 7};

void bigint_set(struct bigint *n, uint32_t value) {
  n->digits.length = 0;
  memset(n->power, 0, sizeof n->power);
  for (; value; value /= BASE)
    vec_push(&n->digits, value % BASE);
}

static void multiply(struct bigint *n, uint32_t factor) {
  uint64_t carry = 0;
  for (size_t i = 0; i < n->digits.length; i++) {
    carry += (uint64_t)n->digits.data[i] * factor;
    n->digits.data[i] = (uint32_t)(carry % BASE);
    carry /= BASE;
  }
  for (; carry; carry /= BASE)
    vec_push(&n->digits, (uint32_t)(carry % BASE));
}

void bigint_multiply(struct bigint *n, uint32_t factor) {
  for (int i = 0; factor && i < BIGINT_PRIMES; i++)
    for (; factor % primes[i] == 0; factor /= primes[i])
      n->power[i]++;
  if (factor != 1)
    multiply(n, factor);
  if (!factor)
    bigint_set(n, 0);
}

/* The power of the prime is reduced to that. */
static void multiply_out(struct bigint *n, int prime, uint32_t power) {
  while (n->power[prime] > power) {
    uint32_t factor = 1;
    for (; n->power[prime] > power && factor < POWER_MAX / 7; n->power[prime]--)
      factor *= primes[prime];
    multiply(n, factor);
  }
}

static void copy(struct bigint *to, const struct bigint *from) {
  to->digits.length = 0;
  for (size_t i = 0; i < from->digits.length; i++)
    vec_push(&to->digits, from->digits.data[i]);
  memcpy(to->power, from->power, sizeof to->power);
}

/* Both get the same powers of primes: the second as a copy in *scratch, which is freed by the caller, or as it is. */
static const struct bigint *align(struct bigint *n, const struct bigint *other,
                                  struct bigint *scratch) {
  bool copied = false;
  for (int i = 0; i < BIGINT_PRIMES; i++) {
    if (other->power[i] > n->power[i] && !copied) {
      copy(scratch, other);
      copied = true;
    }
    multiply_out(n, i, other->power[i]);
    if (copied)
      multiply_out(scratch, i, n->power[i]);
  }
  return copied ? scratch : other;
}

static void drop_zeros(struct bigint *n) {
  while (n->digits.length && vec_last(&n->digits) == 0)
    n->digits.length--;
}

void bigint_divide(struct bigint *n, uint32_t divisor) {
  uint64_t rest = 0;
  for (int i = 0; i < BIGINT_PRIMES; i++)
    for (; n->power[i] && divisor % primes[i] == 0; divisor /= primes[i])
      n->power[i]--;
  if (divisor == 1)
    return;
  for (size_t i = n->digits.length; i-- > 0;) {
    rest = rest * BASE + n->digits.data[i];
    n->digits.data[i] = (uint32_t)(rest / divisor);
    rest %= divisor;
  }
  CHECK(rest == 0, "a division by %u leaves %u", divisor, (unsigned)rest);
  drop_zeros(n);
}

static void add(struct bigint *n, const struct bigint *other) {
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

void bigint_add(struct bigint *n, const struct bigint *other) {
  struct bigint scratch = {0};
  if (!other->digits.length)
    return;
  if (n->digits.length)
    add(n, align(n, other, &scratch));
  else
    copy(n, other);
  bigint_free(&scratch);
}

static bool is_less(const struct bigint *a, const struct bigint *b) {
  if (a->digits.length != b->digits.length)
    return a->digits.length < b->digits.length;
  size_t i = a->digits.length;
  while (i > 0 && a->digits.data[i - 1] == b->digits.data[i - 1])
    i--;
  return i > 0 && a->digits.data[i - 1] < b->digits.data[i - 1];
}

static void subtract(struct bigint *n, const struct bigint *other) {
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

void bigint_subtract(struct bigint *n, const struct bigint *other) {
  struct bigint scratch = {0};
  if (!other->digits.length || !n->digits.length)
    return;
  subtract(n, align(n, other, &scratch));
  bigint_free(&scratch);
}

void bigint_add_number(struct bigint *n, uint64_t other) {
  uint64_t carry = other;
  for (int i = 0; i < BIGINT_PRIMES; i++)
    multiply_out(n, i, 0);
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
  if (!n->digits.length) {
    *value = 0;
    return true;
  }
  for (size_t i = n->digits.length; i-- > 0;)
    if (__builtin_mul_overflow(v, BASE, &v) || __builtin_add_overflow(v, n->digits.data[i], &v))
      return false;
  for (int i = 0; i < BIGINT_PRIMES; i++)
    for (uint32_t k = 0; k < n->power[i]; k++)
      if (__builtin_mul_overflow(v, primes[i], &v))
        return false;
  *value = v;
  return true;
}

void bigint_format(const struct bigint *number, struct str *out) {
  struct bigint all = {0}, *n = &all;
  copy(n, number);
  for (int i = 0; i < BIGINT_PRIMES && n->digits.length; i++)
    multiply_out(n, i, 0);
  size_t i = n->digits.length;
  if (i == 0) {
    str_append_char(out, '0');
    bigint_free(n);
    return;
  }
  str_format(out, "%u", n->digits.data[--i]);
  while (i-- > 0)
    str_format(out, "%09u", n->digits.data[i]);
  bigint_free(n);
}

void bigint_free(struct bigint *n) {
  vec_free(&n->digits);
  memset(n->power, 0, sizeof n->power);
}
