/* The stack of choices against trees that are enumerated by recursion: each leaf once, in order, and
 * each again by its token. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/rng.h"
#include "explore/choice.h"
#include <string.h>

#define DEPTH_MAX 6
#define LEAVES_MAX 1000

/* A tree is a function: what is asked after these answers?  A count of 0: a leaf. */
struct path {
  uint32_t taken[DEPTH_MAX];
  int length;
};

static uint32_t count_at(uint64_t tree, const struct path *p, enum choice_kind *kind) {
  uint64_t h = hash_bytes(tree, p->taken, (size_t)p->length * sizeof *p->taken);
  *kind = (enum choice_kind)(h >> 20) % 5;
  return p->length == DEPTH_MAX || h % 7 == 0 ? 0 : 1 + (uint32_t)(h >> 8) % 3;
}

static int enumerate(uint64_t tree, struct path *p, struct path *leaves, int count) {
  enum choice_kind kind;
  uint32_t n = count_at(tree, p, &kind);
  if (n == 0) {
    leaves[count] = *p;
    return count + 1;
  }
  for (uint32_t i = 0; i < n; i++) {
    p->taken[p->length++] = i;
    count = enumerate(tree, p, leaves, count);
    p->length--;
  }
  return count;
}

/* One execution: open choices until a leaf, beginning where the stack stands. */
static struct path run(struct choices *c, uint64_t tree) {
  struct path p = {.length = (int)c->stack.length};
  for (int i = 0; i < p.length; i++)
    p.taken[i] = c->stack.data[i].taken;
  enum choice_kind kind;
  for (uint32_t n; !c->diverged && (n = count_at(tree, &p, &kind)) != 0;)
    p.taken[p.length++] = choice_open(c, kind, n);
  return p;
}

static void each_leaf_once(void **state) {
  (void)state;
  static struct path leaves[LEAVES_MAX];
  for (uint64_t tree = 1; tree <= 200; tree++) {
    struct path p = {0};
    struct choices c = {0};
    int count = enumerate(tree, &p, leaves, 0), seen = 0;
    bool more = true;
    while (more) {
      p = run(&c, tree);
      assert_true(seen < count && choice_complete(&c));
      assert_int_equal(p.length, leaves[seen].length);
      assert_memory_equal(p.taken, leaves[seen].taken, (size_t)p.length * sizeof *p.taken);
      seen++;
      for (more = false; c.stack.length && !more;)
        more = choice_next(&c);
    }
    assert_int_equal(seen, count);
  }
}

static void tokens_lead_back(void **state) {
  (void)state;
  static struct path leaves[LEAVES_MAX];
  for (uint64_t tree = 1; tree <= 60; tree++) {
    struct path p = {0};
    struct choices c = {0};
    int count = enumerate(tree, &p, leaves, 0);
    for (int i = 0; i < count; i++) {
      p = run(&c, tree);
      struct str token = {0}, again = {0};
      choice_token(&c, &token);
      struct choices replay = {0};
      assert_true(choice_parse(&replay, str_text(&token)));
      struct path back = run(&replay, tree);
      assert_true(choice_complete(&replay) && !replay.diverged);
      assert_memory_equal(&back.taken, &p.taken, (size_t)p.length * sizeof *p.taken);
      choice_token(&replay, &again);
      assert_string_equal(str_text(&token), str_text(&again));
      while (replay.stack.length)
        assert_false(choice_next(&replay)); /* nothing but the token */
      while (c.stack.length && !choice_next(&c))
        continue;
      str_free(&token);
      str_free(&again);
    }
  }
}

static void tokens_as_text(void **state) {
  (void)state;
  static const char *const wrong[] = {"f",   "x1",  "f1.",         ".f1",       "f1..r1",
                                      "f1*", "f1 ", "f4294967296", "r0*1000001"};
  struct choices c = {0};
  struct str token = {0};
  choice_enter(&c, CHOICE_FAILURE, 3, 0);
  for (int i = 0; i < 3; i++)
    choice_open(&c, CHOICE_READ, 2);
  choice_open_at(&c, CHOICE_SCHEDULE, 3, 2);
  choice_token(&c, &token);
  assert_string_equal(str_text(&token), "f3.r0*3.s2");
  assert_true(choice_parse(&c, ""));
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    assert_false(choice_parse(&c, wrong[i]));
}

static void tokens_of_another_program(void **state) {
  (void)state;
  struct choices c = {0};
  assert_true(choice_parse(&c, "f1.r2"));
  assert_false(choice_enter(&c, CHOICE_FAILURE, 0, 0));
  assert_true(choice_enter(&c, CHOICE_FAILURE, 1, 0));
  assert_false(choice_complete(&c));
  choice_preview_begin(&c);
  assert_int_equal(choice_preview(&c, 3, 0), 2);
  assert_int_equal(choice_preview(&c, 3, 1), 1); /* past the end: what the search would take */
  choice_open(&c, CHOICE_READ, 2);
  assert_true(c.diverged);
}

/* A text that is brought up to date now and then is the token of the stack. */
static void texts_follow_the_stack(void **state) {
  (void)state;
  struct rng rng = {.state = 7};
  struct choices c = {0};
  struct token_text t = {0};
  choice_enter(&c, CHOICE_RUN, 3, 0);
  for (int i = 0; i < 20000; i++) {
    uint64_t what = rng_next(&rng) % 8;
    if (what < 5)
      choice_open_at(&c, what < 3 ? CHOICE_SCHEDULE : CHOICE_READ, 3, rng_next(&rng) % 4 == 0);
    else if (c.stack.length > 1 && what < 7)
      choice_next(&c);
    else if (c.stack.length > 1 && rng_next(&rng) % 4 == 0)
      c.stack.length -= rng_next(&rng) % c.stack.length;
    if (rng_next(&rng) % 3)
      continue;
    struct str token = {0};
    choice_token(&c, &token);
    choice_update_token(&c, &t);
    assert_string_equal(str_text(&token), str_text(&t.text));
    str_free(&token);
  }
  token_text_free(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_leaf_once),         cmocka_unit_test(tokens_lead_back),
      cmocka_unit_test(tokens_as_text),         cmocka_unit_test(tokens_of_another_program),
      cmocka_unit_test(texts_follow_the_stack),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
