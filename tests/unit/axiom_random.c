/* Seeded random x86 tests: the solver and the enumerator must find the same final states.
 *
 *   axiom_random                 the fixed number of tests that `make check` runs
 *   axiom_random SEED COUNT      more
 * A difference is shrunk, instruction by instruction, and printed as a .litmus file. */
#include "axiom/check.h"
#include "axiom/enumerate.h"
#include "axiom/litmus.h"
#include "base/rng.h"
#include "base/str.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* after the standard headers it needs */
#include <cmocka.h>

enum { THREADS_MAX = 4, CODE_MAX = 5, CANDIDATES_MAX = 800 };

struct random_test {
  int threads, locations;
  int count[THREADS_MAX];
  char code[THREADS_MAX][CODE_MAX][64];
};

static uint64_t first_seed = 1;
static int test_count = 1300;

static const char *const registers[] = {"rax", "rcx", "rdx"};

/* Values are small and mostly different, so that reads can tell writes apart. */
static void random_instruction(struct rng *r, const struct random_test *t, char *out, size_t size,
                               int value) {
  char x = (char)('x' + rng_below(r, (uint64_t)t->locations));
  const char *reg = registers[rng_below(r, 3)];
  switch (rng_below(r, 12)) {
  case 0:
  case 1:
  case 2:
    snprintf(out, size, "movq $%d,(%c)", value, x);
    break;
  case 3:
  case 4:
  case 5:
  case 6:
    snprintf(out, size, "movq (%c),%%%s", x, reg);
    break;
  case 7:
    snprintf(out, size, "mfence");
    break;
  case 8:
    snprintf(out, size, "xchgq %%%s,(%c)", reg, x);
    break;
  case 9:
    snprintf(out, size, "lock xaddq %%%s,(%c)", reg, x);
    break;
  case 10:
    snprintf(out, size, "movq %%%s,(%c)", reg, x);
    break;
  default:
    snprintf(out, size, "lock cmpxchgq %%rcx,(%c)", x);
    break;
  }
}

static void random_test(struct rng *r, struct random_test *t) {
  memset(t, 0, sizeof *t);
  t->threads = 1 + (int)rng_below(r, THREADS_MAX);
  t->locations = 1 + (int)rng_below(r, 3);
  int left = 8, value = 1;
  for (int i = 0; i < t->threads; i++) {
    t->count[i] = 1 + (int)rng_below(r, t->threads > 2 ? 3 : CODE_MAX - 1);
    for (int j = 0; j < t->count[i] && left > 0; j++, left--)
      random_instruction(r, t, t->code[i][j], sizeof t->code[i][j], value++);
  }
  for (int i = 0; i < t->threads; i++) /* a branch over the rest now and then */
    for (int j = 1; j + 1 < t->count[i]; j++)
      if (rng_below(r, 12) == 0)
        snprintf(t->code[i][j], sizeof t->code[i][j], "jne L%d", i);
}

static bool branches(const struct random_test *t, int i) {
  for (int j = 0; j < t->count[i]; j++)
    if (t->code[i][j][0] == 'j')
      return true;
  return false;
}

static void print_test(const struct random_test *t, struct str *s) {
  str_append(s, "X86_64 random\n{ }\n");
  for (int i = 0; i < t->threads; i++)
    str_format(s, "%s P%d", i ? " |" : "", i);
  str_append(s, " ;\n");
  for (int j = -1; j <= CODE_MAX; j++) {
    for (int i = 0; i < t->threads; i++) {
      str_append(s, i ? " | " : " ");
      if (j < 0)
        str_append(s, branches(t, i) ? "testq %rax,%rax" : "");
      else if (j == CODE_MAX && branches(t, i))
        str_format(s, "L%d:", i);
      else if (j < t->count[i])
        str_append(s, t->code[i][j]);
    }
    str_append(s, " ;\n");
  }
  str_append(s, "locations [");
  for (int l = 0; l < t->locations; l++)
    str_format(s, "%c; ", 'x' + l);
  for (int i = 0; i < t->threads; i++)
    for (int g = 0; g < 3; g++)
      str_format(s, "%d:%s; ", i, registers[g]);
  str_append(s, "]\nexists (true)\n");
}

enum answer { SAME, DIFFERENT, TOO_LARGE };

static enum answer compare(const struct random_test *t, const struct model *m) {
  struct arena a = {0};
  struct str text = {0};
  struct diag d = {0};
  print_test(t, &text);
  struct program *p = test_parse("random", str_text(&text), text.length, &a, 2, &d);
  if (!p)
    fail_msg("%d:%d: %s in\n%s", d.place.line, d.place.column, d.message, str_text(&text));
  struct check_options options = {.core = CORE_NONE};
  struct check_result result;
  struct enumeration e;
  const struct final_state *missing;
  enum answer answer = TOO_LARGE;
  if (enumerate_run(p, m, CANDIDATES_MAX, &a, &e, &d) && e.complete) {
    assert_true(check_run(p, m, &options, &a, &result, &d));
    bool same = states_equal(p, result.states.data, result.states.length, e.states.data,
                             e.states.length, &missing);
    answer = same ? SAME : DIFFERENT;
  }
  str_free(&text);
  arena_release(&a);
  return answer;
}

static bool drop_one(struct random_test *t, const struct model *m) {
  for (int i = 0; i < t->threads; i++)
    for (int j = 0; j < t->count[i]; j++) {
      struct random_test smaller = *t;
      memmove(smaller.code[i][j], smaller.code[i][j + 1],
              sizeof smaller.code[i][0] * (size_t)(t->count[i] - j - 1));
      smaller.count[i]--;
      if (compare(&smaller, m) == DIFFERENT) {
        *t = smaller;
        return true;
      }
    }
  return false;
}

static void against(const char *path) {
  struct diag d = {0};
  struct model *m = model_load(path, "models", &d);
  assert_non_null(m);
  int compared = 0;
  for (int i = 0; i < test_count; i++) {
    struct rng r = {first_seed * 1000003u + (uint64_t)i};
    struct random_test t;
    random_test(&r, &t);
    enum answer answer = compare(&t, m);
    compared += answer == SAME;
    if (answer != DIFFERENT)
      continue;
    while (drop_one(&t, m))
      ;
    struct str text = {0};
    print_test(&t, &text);
    fail_msg("seed %llu, test %d, %s: the states differ for\n%s", (unsigned long long)first_seed, i,
             path, str_text(&text));
  }
  printf("%s: %d of %d random tests small enough, all the same\n", path, compared, test_count);
  assert_true(compared > test_count / 2);
  model_destroy(m);
}

static void x86tso(void **state) {
  (void)state;
  against("models/x86tso.cat");
}

static void sc(void **state) {
  (void)state;
  against("models/sc.cat");
}

int main(int argc, char **argv) {
  if (argc > 2) {
    first_seed = strtoull(argv[1], NULL, 10);
    test_count = atoi(argv[2]);
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(x86tso), cmocka_unit_test(sc)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
