/* A walk that is left and walked again tells each execution once, whether counted one by one or many at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "search/again.h"

#define ENDS 40
#define RESULTS 5

static uint32_t ends[ENDS]; /* results, in their order */

static uint64_t told_of(const struct tally *t, uint32_t result) {
  uint64_t count = 0;
  for (size_t i = 0; i < t->items.length; i++)
    if (t->items.data[i].result == result)
      assert_true(bigint_small(&t->items.data[i].count, &count));
  return count;
}

/* Walk from the start, up to that end; some are counted together. */
static void walk(struct again *a, size_t until, struct tally *heard) {
  for (size_t at = 0; at < until;) {
    size_t many = (size_t)rand() % 4;
    if (many < 2) {
      if (again_tells(a, ends[at]))
        tally_one(heard, ends[at]);
      at++;
      continue;
    }
    struct tally all = {0}, scratch = {0};
    for (size_t i = 0; i < many && at < until; i++, at++)
      tally_one(&all, ends[at]);
    const struct tally *rest = again_rest(a, &all, &scratch);
    tally_add(heard, rest);
    again_note(a, &all, rest);
    tally_free(&all);
    tally_free(&scratch);
  }
}

static void check(const struct tally *heard) {
  for (uint32_t r = 0; r < RESULTS; r++) {
    uint64_t want = 0;
    for (size_t i = 0; i < ENDS; i++)
      want += ends[i] == r;
    assert_int_equal(told_of(heard, r), want);
  }
}

static void tells_each_once(void **state) {
  (void)state;
  srand(7);
  for (int round = 0; round < 500; round++) {
    struct again a = {0};
    struct tally heard = {0};
    for (size_t i = 0; i < ENDS; i++)
      ends[i] = (uint32_t)rand() % RESULTS;
    again_begin(&a, true);
    for (size_t at = 0; rand() % 4;) { /* each time it gets further */
      at += (size_t)rand() % (ENDS - at);
      walk(&a, at, &heard);
      if (a.owed.items.length) /* counted together: it is not yet where it was */
        break;
      again_leave(&a);
      again_begin(&a, true);
    }
    tally_free(&a.owed);
    tally_add(&a.owed, &a.told);
    walk(&a, ENDS, &heard);
    again_end(&a, true);
    check(&heard);
    again_forget(&a);
    tally_free(&heard);
  }
}

static void goes_on_where_it_was_left(void **state) {
  (void)state;
  struct again a = {0};
  struct choice read = {.kind = CHOICE_READ, .taken = 1, .limit = 2, .count = 2};
  choice_list here = {0}, elsewhere = {0};
  vec_push(&here, read);
  read.taken = 0;
  vec_push(&elsewhere, read);
  again_begin(&a, true);
  assert_true(again_tells(&a, 3));
  assert_true(again_gets_on(&a));
  again_stop(&a, &here, 5);
  again_end(&a, false);
  assert_int_equal(again_return(&a, &elsewhere), 0);
  assert_int_equal(again_return(&a, &here), 5);
  again_begin(&a, false);
  assert_false(again_tells(&a, 3));
  while (again_gets_on(&a)) /* nothing is new */
    again_stop(&a, &elsewhere, 5);
  assert_true(again_tells(&a, 3));
  assert_true(again_gets_on(&a));
  again_end(&a, true);
  assert_int_equal(again_return(&a, &here), 0);
  again_forget(&a);
  vec_free(&here);
  vec_free(&elsewhere);
}

static void differences_of_numbers(void **state) {
  (void)state;
  struct bigint large = {0}, small = {0};
  struct str text = {0};
  bigint_set(&large, 1);
  for (int i = 0; i < 3; i++)
    bigint_multiply(&large, 1000000000);
  bigint_add_number(&small, 1);
  bigint_subtract(&large, &small);
  bigint_format(&large, &text);
  assert_string_equal(str_text(&text), "999999999999999999999999999");
  bigint_subtract(&small, &large);
  str_clear(&text);
  bigint_format(&small, &text);
  assert_string_equal(str_text(&text), "0");
  str_free(&text);
  bigint_free(&large);
  bigint_free(&small);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tells_each_once),
      cmocka_unit_test(goes_on_where_it_was_left),
      cmocka_unit_test(differences_of_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
