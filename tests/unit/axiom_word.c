/* Words of literals compute what expr_apply computes, on constants and on inputs. */
#include "axiom/word.h"
#include "sat/sat.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
/* after the standard headers it needs */
#include <cmocka.h>

static const enum expr_kind operators[] = {
    EXPR_ADD,    EXPR_SUB,   EXPR_MUL,  EXPR_DIV, EXPR_MOD, EXPR_AND, EXPR_OR,
    EXPR_XOR,    EXPR_SHL,   EXPR_SHR,  EXPR_NOT, EXPR_NEG, EXPR_ITE, EXPR_WRAP32,
    EXPR_WRAP16, EXPR_WRAP8, EXPR_EQ,   EXPR_NE,  EXPR_LT,  EXPR_LE,  EXPR_ULT,
    EXPR_ULE,    EXPR_UDIV,  EXPR_UMOD, EXPR_USHR};
enum { OPERATORS = sizeof operators / sizeof *operators };

static uint64_t state = 12345;

static uint64_t random_word(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

/* Small, large, negative and special values in turn. */
static int64_t random_value(void) {
  static const int64_t special[] = {0, 1, -1, INT64_MIN, INT64_MAX, INT32_MIN, UINT32_MAX, 255};
  switch (random_word() % 4) {
  case 0:
    return special[random_word() % 8];
  case 1:
    return (int64_t)(random_word() % 16);
  case 2:
    return -(int64_t)(random_word() % 1000);
  default:
    return (int64_t)random_word();
  }
}

static int64_t word_value(const int *w) {
  uint64_t v = 0;
  for (int i = 0; i < WORD_BITS; i++) {
    assert_true(w[i] == LIT_TRUE || w[i] == LIT_FALSE);
    v |= (uint64_t)(w[i] == LIT_TRUE) << i;
  }
  return (int64_t)v;
}

static void constants_are_folded(void **unused) {
  (void)unused;
  for (int round = 0; round < 4000; round++) {
    struct arena a = {0};
    struct circuit *c = circuit_create(&a);
    enum expr_kind op = operators[round % OPERATORS];
    int64_t v[3] = {random_value(), random_value(), random_value()};
    const int *args[3];
    for (int i = 0; i < 3; i++)
      args[i] = word_constant(&a, v[i]);
    int64_t wanted = expr_apply(op, v[0], v[1], v[2]);
    int64_t got = word_compares(op) ? word_compare(c, op, args[0], args[1]) == LIT_TRUE
                                    : word_value(word_apply(c, &a, op, args));
    assert_int_equal(got, wanted);
    arena_release(&a);
  }
}

static const int *input_word(struct circuit *c, struct arena *a) {
  int *w = arena_alloc(a, WORD_BITS * sizeof *w);
  for (int i = 0; i < WORD_BITS; i++)
    w[i] = circuit_input(c);
  return w;
}

static void fix(struct cnf *f, const int *w, int64_t v) {
  for (int i = 0; i < WORD_BITS; i++)
    cnf_assert(f, (uint64_t)v >> i & 1 ? w[i] : -w[i], 0);
}

/* The result is asked for as a word of its own: exactly one value fits. */
static void inputs_are_computed(void **unused) {
  (void)unused;
  for (int round = 0; round < 3 * OPERATORS; round++) {
    struct arena a = {0};
    struct circuit *c = circuit_create(&a);
    struct sat *s = sat_create();
    struct cnf f;
    cnf_init(&f, c, s, &a);
    enum expr_kind op = operators[round % OPERATORS];
    int64_t v[3] = {random_value(), random_value(), random_value()};
    const int *args[3];
    for (int i = 0; i < 3; i++)
      args[i] = input_word(c, &a);
    int64_t wanted = expr_apply(op, v[0], v[1], v[2]);
    int right = word_compares(op) ? word_compare(c, op, args[0], args[1])
                                  : word_is_constant(c, word_apply(c, &a, op, args), wanted);
    if (word_compares(op) && !wanted)
      right = -right;
    int literal = cnf_literal(&f, right);
    for (int i = 0; i < 3; i++)
      fix(&f, args[i], v[i]);
    sat_assume(s, -literal);
    assert_int_equal(sat_solve(s), SAT_NO);
    sat_assume(s, literal);
    assert_int_equal(sat_solve(s), SAT_YES);
    sat_destroy(s);
    arena_release(&a);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(constants_are_folded),
                                     cmocka_unit_test(inputs_are_computed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
