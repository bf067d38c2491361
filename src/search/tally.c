#include "search/tally.h"
#include "base/check.h"

static struct bigint *count_of(struct tally *t, uint32_t result) {
  size_t at = t->items.length;
  while (at > 0 && t->items.data[at - 1].result > result)
    at--;
  if (at > 0 && t->items.data[at - 1].result == result)
    return &t->items.data[at - 1].count;
  vec_push(&t->items, ((struct tally_item){0}));
  for (size_t i = t->items.length - 1; i > at; i--)
    t->items.data[i] = t->items.data[i - 1];
  t->items.data[at] = (struct tally_item){.result = result};
  CHECK((at == 0 || t->items.data[at - 1].result < result) &&
            (at + 1 == t->items.length || result < t->items.data[at + 1].result),
        "results of a tally are not in order at %u", result);
  return &t->items.data[at].count;
}

void tally_one(struct tally *t, uint32_t result) {
  bigint_add_number(count_of(t, result), 1);
}

void tally_more(struct tally *t, uint32_t result, const struct bigint *count) {
  bigint_add(count_of(t, result), count);
}

void tally_add(struct tally *t, const struct tally *more) {
  for (size_t i = 0; i < more->items.length; i++)
    bigint_add(count_of(t, more->items.data[i].result), &more->items.data[i].count);
}

uint64_t tally_sum(const struct tally *t, uint64_t more) {
  for (size_t i = 0; i < t->items.length; i++) {
    uint64_t count;
    if (!bigint_small(&t->items.data[i].count, &count) ||
        __builtin_add_overflow(more, count, &more))
      return UINT64_MAX;
  }
  return more;
}

void tally_multiply(struct tally *t, uint32_t factor) {
  for (size_t i = 0; i < t->items.length; i++)
    bigint_multiply(&t->items.data[i].count, factor);
}

void tally_divide(struct tally *t, uint32_t divisor) {
  for (size_t i = 0; i < t->items.length; i++)
    bigint_divide(&t->items.data[i].count, divisor);
}

static bool is_zero(const struct bigint *n) {
  uint64_t value;
  return bigint_small(n, &value) && value == 0;
}

static void drop_zeros(struct tally *t) {
  size_t kept = 0;
  for (size_t i = 0; i < t->items.length; i++)
    if (is_zero(&t->items.data[i].count))
      bigint_free(&t->items.data[i].count);
    else
      t->items.data[kept++] = t->items.data[i];
  t->items.length = kept;
}

void tally_subtract(struct tally *t, const struct tally *less) {
  size_t at = 0;
  for (size_t i = 0; i < t->items.length; i++) {
    while (at < less->items.length && less->items.data[at].result < t->items.data[i].result)
      at++;
    if (at < less->items.length && less->items.data[at].result == t->items.data[i].result)
      bigint_subtract(&t->items.data[i].count, &less->items.data[at].count);
  }
  drop_zeros(t);
}

bool tally_take_one(struct tally *t, uint32_t result) {
  struct tally one = {0};
  size_t i = 0;
  while (i < t->items.length && t->items.data[i].result != result)
    i++;
  if (i == t->items.length)
    return false;
  tally_one(&one, result);
  tally_subtract(t, &one);
  tally_free(&one);
  return true;
}

void tally_cut(struct tally *t, uint32_t from) {
  for (; t->items.length && vec_last(&t->items).result >= from; t->items.length--)
    bigint_free(&vec_last(&t->items).count);
}

void tally_free(struct tally *t) {
  for (size_t i = 0; i < t->items.length; i++)
    bigint_free(&t->items.data[i].count);
  vec_free(&t->items);
}
