/* Ranges of executions: whoever searches them, each execution is searched once, and in order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/rng.h"
#include "explore/choice.h"
#include <string.h>

#define FAILURES_MAX 2
#define DEPTH_MAX 9
#define LEAVES_MAX 100000

/* Executions as the pm search has them: failure points, then a load, and so on; after a failure
 * another execution of that kind.  What comes next is a function of the decisions so far. */
static uint64_t tree;
static bool chain; /* as the cxl search has them: a machine fails, or not */
static struct choices c;
static VEC(char *) leaves; /* in the order in which they were searched */
static struct rng rng;

static uint32_t what_next(uint32_t points, uint32_t *reads) {
  uint64_t h = hash_u64(tree, points);
  for (size_t i = 0; i < c.stack.length; i++)
    h = hash_u64(hash_u64(h, c.stack.data[i].taken), c.stack.data[i].kind);
  *reads = c.stack.length >= DEPTH_MAX || h % 5 == 0 ? 0 : 1 + (uint32_t)(h >> 8) % 3;
  return (uint32_t)(h >> 16) % (c.stack.length ? 2 : 5);
}

static void end(void) {
  struct str text = {0};
  if (!choice_complete(&c))
    return;
  choice_token(&c, &text);
  vec_push(&leaves, mem_strdup(str_text(&text)));
  str_free(&text);
}

static bool over(void) {
  return c.past || c.diverged;
}

static uint32_t wholes; /* times that something was said to be in the range as a whole */
static void walk_on(int level, uint32_t points);

static void walk(int level, uint32_t points) {
  bool whole = choice_is_whole(&c);
  walk_on(level, points);
  assert_false(whole && !c.boundary && c.past);
  wholes += whole;
}

static void walk_on(int level, uint32_t points) {
  uint32_t reads, failures = what_next(points, &reads);
  uint32_t known = level == 0 ? points + failures + 1 : 0;
  for (uint32_t i = 0; i < failures && level < FAILURES_MAX && !over(); i++)
    if (choice_enter(&c, CHOICE_FAILURE, points + i, known)) {
      walk(level + 1, 0);
      choice_close(&c);
    }
  if (over())
    return;
  if (level == 0 || reads == 0) {
    end();
    return;
  }
  choice_open(&c, CHOICE_READ, reads);
  do
    if (!over())
      walk(level, points + failures);
  while (!over() && choice_next(&c));
}

static void walk_chain(int failed) {
  uint32_t reads;
  uint32_t stop = what_next(0, &reads);
  if (c.stack.length >= DEPTH_MAX || (stop == 1 && c.stack.length > 5)) {
    end();
    return;
  }
  enum choice_kind kind = failed && reads ? CHOICE_READ : CHOICE_MACHINE;
  uint32_t count = kind == CHOICE_READ ? reads : failed ? 1 : 2;
  choice_open(&c, kind, count);
  do
    if (!over())
      walk_chain(failed + (kind == CHOICE_MACHINE && vec_last(&c.stack).taken));
  while (!over() && choice_next(&c));
}

static void search(const char *from, const char *to) {
  c.stack.length = 0;
  assert_true(choice_set_range(&c, from, to));
  if (chain)
    walk_chain(0);
  else
    walk(0, 0);
  assert_false(c.diverged);
}

/* ---- ranges that are still to be searched, in order ---- */

struct range {
  char *from, *to;
  size_t first, end; /* its executions in `leaves`; SIZE_MAX: not searched yet */
};

static VEC(struct range) ranges;
static bool splits, cuts, stops;

static size_t under_way;

static void insert(size_t at, struct range r) {
  vec_push(&ranges, r);
  for (size_t i = ranges.length - 1; i > at; i--)
    ranges.data[i] = ranges.data[i - 1];
  ranges.data[at] = r;
}

static void boundary(struct choices *x) {
  struct str where = {0};
  struct range *r = &ranges.data[under_way];
  uint64_t dice = rng_next(&rng) % 8;
  if (splits && dice == 0 && choice_split(x, &where)) {
    insert(under_way + 1, (struct range){mem_strdup(str_text(&where)), r->to, SIZE_MAX, 0});
    ranges.data[under_way].to = mem_strdup(str_text(&where));
  } else if (stops && dice == 1) {
    choice_token(x, &where);
    choice_stop(x);
    insert(under_way + 1, (struct range){mem_strdup(str_text(&where)), r->to, SIZE_MAX, 0});
    ranges.data[under_way].to = mem_strdup(str_text(&where));
  } else if (cuts && dice == 2) {
    choice_token(x, &where);
    choice_cut(x);
    r->end = leaves.length;
    insert(under_way + 1, (struct range){mem_strdup(str_text(&where)), r->to, leaves.length, 0});
    ranges.data[under_way].to = mem_strdup(str_text(&where));
    under_way++;
  }
  str_free(&where);
}

static void forget(void) {
  leaves.length = 0;
  ranges.length = 0;
}

/* Somebody takes any range that is left, until there is none. */
static void search_in_parts(void) {
  forget();
  c.boundary = boundary;
  insert(0, (struct range){mem_strdup(""), NULL, SIZE_MAX, 0});
  for (;;) {
    VEC(size_t) open = {0};
    for (size_t i = 0; i < ranges.length; i++)
      if (ranges.data[i].first == SIZE_MAX)
        vec_push(&open, i);
    if (open.length == 0)
      break;
    under_way = open.data[rng_next(&rng) % open.length];
    vec_free(&open);
    struct range *r = &ranges.data[under_way];
    r->first = leaves.length;
    search(r->from, r->to);
    ranges.data[under_way].end = leaves.length;
  }
  c.boundary = NULL;
}

static void compare(char **expected, size_t count) {
  assert_int_equal(leaves.length, count);
  size_t at = 0;
  for (size_t i = 0; i < ranges.length; i++)
    for (size_t k = ranges.data[i].first; k < ranges.data[i].end; k++)
      assert_string_equal(leaves.data[k], expected[at++]);
  assert_int_equal(at, count);
}

static void check_trees(bool as_chain) {
  chain = as_chain;
  size_t all = 0;
  for (tree = 1; tree <= 300; tree++) {
    rng.state = tree;
    forget();
    search("", NULL);
    VEC(char *) expected = {0};
    for (size_t i = 0; i < leaves.length; i++)
      vec_push(&expected, leaves.data[i]);
    assert_true(expected.length < LEAVES_MAX);
    for (int mode = 1; mode < 8; mode++) {
      splits = mode & 1;
      stops = mode & 2;
      cuts = mode & 4;
      search_in_parts();
      compare(expected.data, expected.length);
    }
    all += expected.length;
    vec_free(&expected);
  }
  assert_true(all > 10000);
}

/* walk asserts it. */
static void parts_that_are_whole(void **state) {
  (void)state;
  chain = false;
  wholes = 0;
  for (tree = 1; tree <= 100; tree++) {
    rng.state = tree;
    forget();
    search("", NULL);
    VEC(char *) all = {0};
    for (size_t i = 0; i < leaves.length; i++)
      vec_push(&all, leaves.data[i]);
    for (int i = 0; i < 20; i++) {
      size_t from = rng_next(&rng) % all.length, to = from + rng_next(&rng) % (all.length - from);
      forget();
      search(all.data[from], all.data[to]);
    }
    vec_free(&all);
  }
  assert_true(wholes > 10000);
}

static void failures(void **state) {
  (void)state;
  check_trees(false);
}

static void machines(void **state) {
  (void)state;
  check_trees(true);
}

static void positions_have_an_order(void **state) {
  (void)state;
  static const char *const ordered[] = {"",   "f0",    "f0.f0",    "f0.f2.r1", "f0.r0", "f0.r0.f1",
                                        "f1", "f1.r0", "f1.r0.r2", "f1.r1",    "f10",   "f11"};
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 12; j++) {
      int order = token_compare_texts(ordered[i], ordered[j]);
      assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
    }
}

/* Sampled schedules: the outermost choice is which, and nothing inside is divided. */
static void runs(void **state) {
  (void)state;
  struct choices x = {0};
  struct str text = {0};
  assert_true(choice_set_range(&x, "n3", "n5"));
  VEC(uint32_t) counted = {0};
  for (uint32_t run = 0; run < 9 && !x.past; run++) {
    bool counts = choice_enter(&x, CHOICE_RUN, run, 9);
    if (x.past)
      break;
    if (!counts)
      choice_pass(&x, CHOICE_RUN, run);
    choice_open_at(&x, CHOICE_SCHEDULE, 4, 2);
    if (choice_complete(&x))
      vec_push(&counted, run);
    str_clear(&text);
    choice_token(&x, &text);
    assert_string_equal(str_text(&text), "s2");
    choice_close(&x);
    choice_close(&x);
  }
  assert_int_equal(counted.length, 2);
  assert_int_equal(counted.data[0], 3);
  assert_int_equal(counted.data[1], 4);
  x = (struct choices){0};
  assert_true(choice_set_range(&x, "", NULL));
  assert_true(choice_enter(&x, CHOICE_RUN, 0, 9));
  str_clear(&text);
  assert_true(choice_split(&x, &text));
  assert_string_equal(str_text(&text), "n5");
  str_free(&text);
}

/* Half of a chain, half of the failure points, and of a tree the later half. */
static void splits_are_even(void **state) {
  (void)state;
  struct choices x = {0};
  struct str where = {0};
  assert_true(choice_set_range(&x, "", NULL));
  for (int i = 0; i < 100; i++)
    choice_open(&x, CHOICE_MACHINE, 2);
  assert_true(choice_split(&x, &where));
  assert_string_equal(str_text(&where), "m0*49.m1");
  x = (struct choices){0};
  str_clear(&where);
  assert_true(choice_set_range(&x, "", NULL));
  assert_true(choice_enter(&x, CHOICE_FAILURE, 10, 111));
  assert_true(choice_split(&x, &where));
  assert_string_equal(str_text(&where), "f61");
  assert_true(choice_split(&x, &where)); /* and again */
  x = (struct choices){0};
  str_clear(&where);
  assert_true(choice_set_range(&x, "", NULL));
  for (int i = 0; i < 10; i++)
    choice_open(&x, CHOICE_READ, 2);
  assert_true(choice_split(&x, &where));
  assert_string_equal(str_text(&where), "r1");
  while (choice_split(&x, &where))
    continue;
  assert_false(choice_next(&x)); /* all is given away but the execution at hand */
  str_free(&where);
}

/* All that comes after the failure under way, whatever is open behind it. */
static void failures_are_left(void **state) {
  (void)state;
  struct choices x = {0};
  struct str where = {0};
  assert_true(choice_set_range(&x, "", NULL));
  assert_false(choice_leave(&x, &where));
  assert_true(choice_enter(&x, CHOICE_FAILURE, 10, 111));
  choice_open(&x, CHOICE_READ, 3);
  assert_true(choice_leave(&x, &where));
  assert_string_equal(str_text(&where), "f11");
  assert_false(choice_leave(&x, &where));
  assert_true(choice_next(&x)); /* the rest of it is still there */
  assert_true(choice_next(&x));
  assert_false(choice_next(&x));
  choice_close(&x);
  assert_false(choice_enter(&x, CHOICE_FAILURE, 11, 111));
  assert_true(x.past);
  str_free(&where);
}

/* Two failures, two schedules with two failures each before their ends. */
static int count_between(const char *from, const char *to) {
  struct choices x = {0};
  int count = 0;
  assert_true(choice_set_range(&x, from, to));
  for (uint32_t i = 0; i < 2; i++)
    if (choice_enter(&x, CHOICE_FAILURE, i, 3)) {
      count += choice_complete(&x);
      choice_close(&x);
    }
  choice_open(&x, CHOICE_SCHEDULE, 2);
  do {
    for (uint32_t i = 2; i < 4; i++)
      if (choice_enter(&x, CHOICE_FAILURE, i, 5)) {
        count += choice_complete(&x);
        choice_close(&x);
      }
    count += choice_complete(&x);
  } while (!x.past && choice_next(&x));
  assert_false(x.diverged);
  return count;
}

/* Behind the last failure before something is observed, and before the end. */
static void behind_failures(void **state) {
  static const char *const at[] = {"",      "f0",    "f1",    "f2",    "s0.f2", "s0.f3",
                                   "s0.f4", "s1.f2", "s1.f3", "s1.f4", NULL};
  static const int executions_before[] = {0, 0, 1, 2, 2, 3, 4, 5, 6, 7, 8};
  (void)state;
  for (int i = 0; at[i]; i++)
    for (int k = i + 1; k < 11; k++)
      assert_int_equal(count_between(at[i], at[k]), executions_before[k] - executions_before[i]);
}

/* What is better kept together is not given away. */
static void together(void **state) {
  struct choices x = {.together = 1};
  struct str where = {0};
  (void)state;
  assert_true(choice_set_range(&x, "", NULL));
  assert_true(choice_enter(&x, CHOICE_FAILURE, 0, 3));
  for (int i = 0; i < 10; i++)
    choice_open(&x, CHOICE_READ, 2);
  assert_true(choice_split(&x, &where));
  assert_string_equal(str_text(&where), "f2");
  str_clear(&where);
  assert_true(choice_split(&x, &where));
  assert_string_equal(str_text(&where), "f1");
  assert_false(choice_split(&x, &where));
  str_free(&where);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(positions_have_an_order),
      cmocka_unit_test(parts_that_are_whole),
      cmocka_unit_test(failures),
      cmocka_unit_test(machines),
      cmocka_unit_test(failures_are_left),
      cmocka_unit_test(splits_are_even),
      cmocka_unit_test(runs),
      cmocka_unit_test(behind_failures),
      cmocka_unit_test(together),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
