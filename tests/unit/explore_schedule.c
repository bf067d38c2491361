/* What schedules are made of: which operations can change places, which alternative a strategy
 * takes, and what sleep sets leave out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explore/sharing.h"
#include "explore/sleep.h"
#include "explore/strategy.h"
#include <string.h>

#define LINE 0x1000u

static struct operation step(int thread, enum operation_kind kind, uintptr_t address,
                             uint32_t size) {
  return (struct operation){
      .kind = (uint8_t)kind, .thread = (uint16_t)thread, .address = address, .size = size};
}

static struct operation drain(int thread, enum operation_kind kind, uintptr_t address,
                              uint32_t size) {
  struct operation o = step(thread, kind, address, size);
  o.drain = true;
  return o;
}

static void assert_independent(bool expected, struct operation a, struct operation b) {
  assert_int_equal(operations_independent(&a, &b), expected);
  assert_int_equal(operations_independent(&b, &a), expected);
}

/* ---- independence ---- */

static void loads_and_stores(void **state) {
  (void)state;
  struct operation store = drain(1, OPERATION_WRITE, LINE + 8, 8);
  assert_independent(true, step(0, OPERATION_READ, LINE + 8, 8),
                     step(1, OPERATION_READ, LINE + 8, 8));
  assert_independent(false, step(0, OPERATION_READ, LINE + 8, 8), store);
  assert_independent(false, step(0, OPERATION_READ, LINE + 15, 1), store);
  assert_independent(false, step(0, OPERATION_READ, LINE + 4, 8), store);
  assert_independent(true, step(0, OPERATION_READ, LINE, 8), store);
  assert_independent(true, step(0, OPERATION_READ, LINE + 16, 8), store);
  assert_independent(true, step(0, OPERATION_NONE, 0, 0), store);
}

/* Stores to one line persist in their order. */
static void stores(void **state) {
  (void)state;
  struct operation store = drain(1, OPERATION_WRITE, LINE + 8, 8);
  assert_independent(false, step(0, OPERATION_WRITE, LINE + 8, 8), store);
  assert_independent(false, drain(0, OPERATION_WRITE, LINE + 56, 8), store);
  assert_independent(true, drain(0, OPERATION_WRITE, LINE + 64, 8), store);
  assert_independent(true, drain(0, OPERATION_WRITE, LINE - 8, 8), store);
  assert_independent(false, drain(0, OPERATION_WRITE, LINE - 4, 8), store);
}

static void flushes_and_fences(void **state) {
  (void)state;
  struct operation flush = drain(0, OPERATION_FLUSH, LINE, 64);
  struct operation fence = drain(0, OPERATION_FENCE, 0, 0);
  assert_independent(false, flush, drain(1, OPERATION_WRITE, LINE + 8, 8));
  assert_independent(true, flush, drain(1, OPERATION_WRITE, LINE + 64, 8));
  assert_independent(true, flush, step(1, OPERATION_READ, LINE, 8));
  assert_independent(true, flush, drain(1, OPERATION_FLUSH, LINE, 64));
  assert_independent(true, flush, step(1, OPERATION_FENCE, 0, 0));
  assert_independent(true, fence, drain(1, OPERATION_WRITE, LINE, 8));
  assert_independent(true, fence, drain(1, OPERATION_WRITE, 0, 8));
}

static void locks(void **state) {
  (void)state;
  struct operation lock = step(0, OPERATION_LOCK, 0x10, 1);
  assert_independent(false, lock, step(1, OPERATION_LOCK, 0x10, 1));
  assert_independent(true, lock, step(1, OPERATION_LOCK, 0x20, 1));
  assert_independent(false, lock, step(1, OPERATION_LOCK, 0, 1));
  assert_independent(true, lock, drain(1, OPERATION_WRITE, 0x10, 8));
}

static void one_thread(void **state) {
  (void)state;
  assert_independent(true, step(0, OPERATION_READ, LINE, 8), drain(0, OPERATION_WRITE, LINE, 8));
  assert_independent(false, step(0, OPERATION_FLUSH, LINE, 64),
                     drain(0, OPERATION_WRITE, LINE + 64, 8));
  assert_independent(false, step(0, OPERATION_READ, LINE, 8), step(0, OPERATION_READ, LINE, 8));
}

/* ---- strategies ---- */

static void parsing(void **state) {
  (void)state;
  static const char *const wrong[] = {
      "",      "al",      "all:1",      "pct",   "pct:",   "pct:0",        "pct:17",
      "pct:x", "bounded", "bounded:-1", "PCT:3", "pct:3 ", "bounded:1001", "bounded:4294967297"};
  struct strategy s = {0};
  assert_true(strategy_parse("fixed", &s) && s.kind == STRATEGY_FIXED);
  assert_true(strategy_parse("all", &s) && s.kind == STRATEGY_ALL);
  assert_true(strategy_parse("random", &s) && s.kind == STRATEGY_RANDOM);
  assert_true(strategy_parse("pct:16", &s) && s.kind == STRATEGY_PCT && s.parameter == 16);
  assert_true(strategy_parse("bounded:0", &s) && s.kind == STRATEGY_BOUNDED && s.parameter == 0);
  assert_true(strategy_parse("bounded:1000", &s) && s.parameter == 1000);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_false(strategy_parse(wrong[i], &s));
}

#define PICKS 64

/* The alternatives taken where three threads can go on all the time. */
static void pick(const struct strategy *s, uint64_t run, int level, uint32_t *out) {
  struct strategy_state state;
  struct operation options[3];
  for (int i = 0; i < 3; i++)
    options[i] = step(i, OPERATION_READ, LINE, 8);
  strategy_begin(s, &state, run, level);
  for (int i = 0; i < PICKS; i++)
    out[i] = strategy_pick(s, &state, options, 3);
}

static void sampling_is_a_function_of_seed_run_and_level(void **state) {
  (void)state;
  static const char *const names[] = {"random", "pct:3"};
  for (int n = 0; n < 2; n++) {
    struct strategy s = {.seed = 1, .length = PICKS};
    uint32_t first[PICKS], other[PICKS];
    int same_run = 0, same_seed = 0, same_level = 0;
    assert_true(strategy_parse(names[n], &s));
    for (uint64_t run = 0; run < 20; run++) {
      pick(&s, run, 0, first);
      pick(&s, run, 0, other);
      assert_memory_equal(first, other, sizeof first);
      pick(&s, run + 1, 0, other);
      same_run += memcmp(first, other, sizeof first) == 0;
      pick(&s, run, 1, other);
      same_level += memcmp(first, other, sizeof first) == 0;
      s.seed = 2;
      pick(&s, run, 0, other);
      same_seed += memcmp(first, other, sizeof first) == 0;
      s.seed = 1;
    }
    assert_true(same_run < 10 && same_seed < 10 && same_level < 10);
  }
}

static void a_copied_state_goes_on_alike(void **state) {
  (void)state;
  struct strategy s = {.kind = STRATEGY_PCT, .parameter = 4, .seed = 3, .length = PICKS};
  struct strategy_state one, two;
  struct operation options[2] = {step(0, OPERATION_READ, LINE, 8),
                                 drain(0, OPERATION_WRITE, LINE, 8)};
  strategy_begin(&s, &one, 5, 0);
  for (int i = 0; i < PICKS / 2; i++)
    strategy_pick(&s, &one, options, 2);
  two = one;
  for (int i = 0; i < PICKS / 2; i++)
    assert_int_equal(strategy_pick(&s, &one, options, 2), strategy_pick(&s, &two, options, 2));
}

/* Without a change of priorities one thread runs as long as it can, and who that is does not depend
 * on where it stands among the alternatives. */
static void pct_follows_priorities(void **state) {
  (void)state;
  struct strategy s = {.kind = STRATEGY_PCT, .parameter = 1, .seed = 1};
  int firsts[3] = {0};
  for (uint64_t run = 0; run < 60; run++) {
    uint32_t picks[PICKS];
    pick(&s, run, 0, picks);
    firsts[picks[0]]++;
    for (int i = 1; i < PICKS; i++)
      assert_int_equal(picks[i], picks[0]);
    struct strategy_state other;
    struct operation turned[3] = {step(2, OPERATION_READ, LINE, 8),
                                  step(1, OPERATION_READ, LINE, 8),
                                  step(0, OPERATION_READ, LINE, 8)};
    strategy_begin(&s, &other, run, 0);
    assert_int_equal(turned[strategy_pick(&s, &other, turned, 3)].thread, picks[0]);
  }
  for (int i = 0; i < 3; i++)
    assert_true(firsts[i] > 5);
}

/* Who is preferred for long comes last; so everybody comes to go on. */
static void pct_is_fair_in_the_end(void **state) {
  (void)state;
  struct strategy s = {.kind = STRATEGY_PCT, .parameter = 1, .seed = 1};
  struct strategy_state one;
  struct operation options[20];
  bool seen[20] = {false};
  for (uint16_t i = 0; i < 20; i++)
    options[i] = step(i, OPERATION_READ, LINE, 8);
  strategy_begin(&s, &one, 0, 0);
  for (int i = 0; i < 1000000; i++)
    seen[strategy_pick(&s, &one, options, 20)] = true;
  for (int i = 0; i < 20; i++)
    assert_true(seen[i]);
}

/* D changes at most D-1 times, and the changes are spread over the whole length. */
static void pct_changes_priorities(void **state) {
  (void)state;
  struct strategy s = {.kind = STRATEGY_PCT, .parameter = 2, .seed = 1, .length = PICKS};
  int late = 0, early = 0;
  for (uint64_t run = 0; run < 100; run++) {
    uint32_t picks[PICKS], changes = 0;
    pick(&s, run, 0, picks);
    for (int i = 1; i < PICKS; i++)
      if (picks[i] != picks[i - 1]) {
        changes++;
        late += i >= PICKS / 2;
        early += i < PICKS / 2;
      }
    assert_true(changes <= 1);
  }
  assert_true(late > 20 && early > 20);
}

/* ---- sleep sets ---- */

static void tried_ones_sleep_until_something_they_touch_happens(void **state) {
  (void)state;
  struct sleep s = {0};
  struct operation options[3] = {step(0, OPERATION_READ, LINE, 8),
                                 step(1, OPERATION_READ, LINE + 64, 8),
                                 drain(2, OPERATION_WRITE, LINE + 64, 8)};
  assert_int_equal(sleep_first_awake(&s, options, 3, 0), 0);
  struct sleep_mark start = sleep_here(&s);
  sleep_take(&s, options, 0);
  assert_int_equal(sleep_first_awake(&s, options, 3, 0), 0); /* nothing was tried before it */
  sleep_return(&s, start);
  sleep_take(&s, options, 1);
  assert_true(sleep_has(&s, &options[0]));
  assert_false(sleep_has(&s, &options[1]));
  sleep_return(&s, start);
  sleep_take(&s, options, 2); /* independent of the first, not of the second */
  assert_true(sleep_has(&s, &options[0]));
  assert_false(sleep_has(&s, &options[1]));
  assert_int_equal(sleep_first_awake(&s, options, 3, 0), 1);
  struct operation store = drain(3, OPERATION_WRITE, LINE, 8);
  sleep_take(&s, &store, 0);
  assert_false(sleep_has(&s, &options[0])); /* woken */
  sleep_return(&s, start);
  assert_false(sleep_has(&s, &options[0]));
}

static void copies_and_new_schedules(void **state) {
  (void)state;
  struct sleep s = {0}, copy = {0};
  struct operation options[2] = {step(0, OPERATION_READ, LINE, 8),
                                 step(1, OPERATION_READ, LINE, 8)};
  sleep_take(&s, options, 1);
  sleep_copy(&copy, &s);
  struct sleep_mark outside = sleep_here(&s);
  sleep_clear(&s);
  assert_false(sleep_has(&s, &options[0]));
  assert_true(sleep_has(&copy, &options[0]));
  sleep_return(&s, outside);
  assert_true(sleep_has(&s, &options[0]));
  assert_int_equal(sleep_first_awake(&s, options, 1, 0), 1); /* all asleep */
}

static void others_are_noticed(void **state) {
  (void)state;
  struct sharing s = {0};
  struct operation own = step(0, OPERATION_READ, LINE, 8), lock = step(0, OPERATION_LOCK, 0x10, 1);
  struct operation read = step(1, OPERATION_READ, LINE + 8, 8);
  struct operation write = drain(1, OPERATION_WRITE, LINE + 60, 8); /* reaches into the next line */
  assert_true(sharing_rely(&s, &own));
  assert_true(sharing_note(&s, &read)); /* two that only look */
  assert_true(sharing_rely(&s, &read));
  assert_false(sharing_note(&s, &write)); /* but this one was not expected */
  sharing_restart(&s);
  assert_false(sharing_rely(&s, &own));
  assert_true(sharing_rely(&s, &read)); /* by the only one that writes there */
  assert_true(sharing_note(&s, &write));
  struct operation next = step(0, OPERATION_READ, LINE + 64, 8);
  assert_false(sharing_rely(&s, &next));
  assert_true(sharing_rely(&s, &lock));
  lock.thread = 1;
  assert_false(sharing_note(&s, &lock));
  struct operation any = step(0, OPERATION_LOCK, 0, 1), late = step(64, OPERATION_READ, 0, 8);
  assert_false(sharing_rely(&s, &any));
  assert_false(sharing_rely(&s, &late)); /* more threads than are told apart */
}

/* What was shared in an execution is told by numbers, and another one answers the same, though it has
 * learnt nothing. */
static void sharing_is_told(void **state) {
  (void)state;
  struct sharing s = {0};
  struct operation own = step(0, OPERATION_WRITE, LINE, 8), alone = step(0, OPERATION_WRITE, 0, 8);
  struct operation read = step(1, OPERATION_READ, LINE, 8), look = step(0, OPERATION_READ, LINE, 8);
  struct operation block = step(1, OPERATION_WRITE, 4 * LINE, 1000);
  struct operation inside = step(0, OPERATION_READ, 4 * LINE + 500, 8);
  struct operation big = step(1, OPERATION_WRITE, 4 * LINE, 1 << 30);
  sharing_begin(&s);
  assert_int_equal(sharing_touch(&s, &own), SHARING_PRIVATE);
  assert_int_equal(sharing_touch(&s, &read), SHARING_BROKEN);
  assert_int_equal(sharing_touch(&s, &inside), SHARING_PRIVATE);
  assert_int_equal(sharing_give_back(&s, &block), SHARING_BROKEN);
  sharing_restart(&s);
  assert_int_equal(sharing_touch(&s, &inside), SHARING_SHARED);
  assert_int_equal(sharing_give_back(&s, &big), SHARING_SHARED); /* looks through all entries */
  sharing_restart(&s);
  struct sharing again = {.told = true};
  for (int pass = 0; pass < 2; pass++) {
    struct sharing *x = pass ? &again : &s;
    sharing_begin(x);
    assert_int_equal(sharing_touch(x, &alone), SHARING_PRIVATE);
    assert_int_equal(sharing_touch(x, &own), SHARING_SHARED);
    assert_int_equal(sharing_touch(x, &look), SHARING_PRIVATE); /* nobody else stores */
    assert_int_equal(sharing_touch(x, &read), SHARING_SHARED);
    assert_int_equal(sharing_give_back(x, &block), SHARING_SHARED); /* noticed in another one */
    block.address += 1 << 20;
    assert_int_equal(sharing_give_back(x, &block), SHARING_PRIVATE);
    block.address -= 1 << 20;
    sharing_tell(&s, &again.facts);
  }
  assert_int_equal(again.facts.length, 2);
  assert_int_equal(again.facts.data[0].number, 1);
  assert_int_equal(again.facts.data[0].writer, 0);
  assert_int_equal(again.facts.data[1].number, 2);
  assert_int_equal(again.facts.data[1].writer, SHARING_NOBODY);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sharing_is_told),
      cmocka_unit_test(loads_and_stores),
      cmocka_unit_test(stores),
      cmocka_unit_test(flushes_and_fences),
      cmocka_unit_test(locks),
      cmocka_unit_test(one_thread),
      cmocka_unit_test(parsing),
      cmocka_unit_test(sampling_is_a_function_of_seed_run_and_level),
      cmocka_unit_test(a_copied_state_goes_on_alike),
      cmocka_unit_test(pct_follows_priorities),
      cmocka_unit_test(pct_is_fair_in_the_end),
      cmocka_unit_test(pct_changes_priorities),
      cmocka_unit_test(tried_ones_sleep_until_something_they_touch_happens),
      cmocka_unit_test(copies_and_new_schedules),
      cmocka_unit_test(others_are_noticed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
