/* Persistent arrays against plain ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/radix.h"
#include "base/rng.h"
#include <string.h>

#define SIZE 700
#define VERSIONS 60
#define STEPS 4000

struct version {
  radix_id id;
  uint32_t plain[SIZE];
};

static struct version versions[VERSIONS];

static void check_version(const struct radix *r, const struct version *v) {
  for (size_t i = 0; i < SIZE; i++)
    assert_int_equal(radix_get(r, v->id, i), v->plain[i]);
}

/* Each step replaces one version by a changed copy of another. */
static void versions_do_not_disturb_each_other(void **state) {
  (void)state;
  struct radix r = {.height = 3};
  struct rng rng = {.state = 3};
  for (int n = 0; n < STEPS; n++) {
    struct version *from = &versions[rng_next(&rng) % VERSIONS];
    struct version *to = &versions[rng_next(&rng) % VERSIONS];
    size_t index = rng_next(&rng) % SIZE;
    uint32_t value = (uint32_t)(rng_next(&rng) % 3);
    radix_id new = radix_keep(&r, from->id);
    radix_set(&r, &new, index, value);
    radix_drop(&r, to->id);
    *to = *from;
    to->id = new;
    to->plain[index] = value;
    if (n % 100 == 0)
      check_version(&r, to);
  }
  for (int i = 0; i < VERSIONS; i++)
    check_version(&r, &versions[i]);
  for (int i = 0; i < VERSIONS; i++)
    radix_drop(&r, versions[i].id);
  assert_int_equal(r.unused.length + 1, r.owners.length); /* nothing is left over */
  radix_free(&r);
}

static radix_id random_array(struct radix *r, struct rng *rng, uint32_t *plain, int changes,
                             uint32_t values) {
  radix_id id = 0;
  memset(plain, 0, SIZE * sizeof *plain);
  for (int n = 0; n < changes; n++) {
    size_t index = rng_next(rng) % SIZE;
    plain[index] = 1 + (uint32_t)(rng_next(rng) % values);
    radix_set(r, &id, index, plain[index]);
  }
  return id;
}

static void sets_are_joined(void **state) {
  (void)state;
  struct radix r = {.height = 3};
  struct rng rng = {.state = 4};
  static uint32_t a[SIZE], b[SIZE];
  for (int n = 0; n < 200; n++) {
    radix_id x = random_array(&r, &rng, a, (int)(rng_next(&rng) % 40), 1);
    radix_id y = random_array(&r, &rng, b, (int)(rng_next(&rng) % 40), 1);
    radix_id both = radix_join(&r, x, y), again = radix_join(&r, both, x);
    assert_int_equal(both, again); /* what is in it already takes no room */
    for (size_t i = 0; i < SIZE; i++)
      assert_int_equal(radix_get(&r, both, i), a[i] | b[i]);
    radix_drop(&r, x);
    radix_drop(&r, y);
    radix_drop(&r, both);
    radix_drop(&r, again);
  }
  assert_int_equal(r.unused.length + 1, r.owners.length);
}

static void arrays_agree_where_it_matters(void **state) {
  (void)state;
  struct radix r = {.height = 3};
  struct rng rng = {.state = 5};
  static uint32_t a[SIZE], b[SIZE], s[SIZE];
  int agreed = 0;
  for (int n = 0; n < 2000; n++) {
    radix_id x = random_array(&r, &rng, a, 30, 2), y = radix_keep(&r, x);
    memcpy(b, a, sizeof b);
    for (int changes = (int)(rng_next(&rng) % 4); changes > 0; changes--) {
      size_t index = rng_next(&rng) % SIZE;
      b[index] = (uint32_t)(rng_next(&rng) % 3);
      radix_set(&r, &y, index, b[index]);
    }
    radix_id set = random_array(&r, &rng, s, (int)(rng_next(&rng) % 400), 1);
    bool same = true;
    for (size_t i = 0; i < SIZE; i++)
      same &= !s[i] || a[i] == b[i];
    assert_int_equal(radix_agree(&r, x, y, set), same);
    agreed += same;
    radix_drop(&r, x);
    radix_drop(&r, y);
    radix_drop(&r, set);
  }
  assert_in_range(agreed, 200, 1900);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(versions_do_not_disturb_each_other),
      cmocka_unit_test(sets_are_joined),
      cmocka_unit_test(arrays_agree_where_it_matters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
