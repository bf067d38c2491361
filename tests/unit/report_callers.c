/* Flushes without effect are told from those that others need by their callers, or not reported. */
#include "report/callers.h"
#include "report_fixture.h"

static struct place at(const char *function, int line) {
  return (struct place){
      .file = mem_strdup("list.c"), .line = line, .function = mem_strdup(function)};
}

/* A flush at line 8 of persist, called from the lines up to the first 0. */
static void add(struct results *r, bool used, int first, int second) {
  struct finding f = {.kind = FINDING_REDUNDANT_FLUSH,
                      .refutes = used,
                      .count = 1,
                      .place = at("persist", 8),
                      .fix = mem_strdup("remove it")};
  vec_push(&f.stack, at("persist", 8));
  if (first)
    vec_push(&f.stack, at("put", first));
  if (second)
    vec_push(&f.stack, at("main", second));
  vec_push(&r->findings, f);
}

static void told_apart(void **state) {
  (void)state;
  struct results r = {0};
  add(&r, true, 20, 30);
  add(&r, false, 21, 31);
  callers_merge(&r);
  assert_int_equal(r.findings.length, 1);
  assert_int_equal(r.findings.data[0].place.line, 21);
  assert_string_equal(r.findings.data[0].fix,
                      "remove it where it is called from here; other callers need it");
  results_free(&r);
}

static void nobody_needs_it(void **state) {
  (void)state;
  struct results r = {0};
  add(&r, false, 20, 30);
  add(&r, false, 21, 31);
  callers_merge(&r);
  assert_int_equal(r.findings.length, 1);
  assert_int_equal(r.findings.data[0].place.line, 8);
  assert_string_equal(r.findings.data[0].fix, "remove it");
  results_free(&r);
}

/* The stack of one of them ends early, at a caller without debug information. */
static void not_told_apart(void **state) {
  (void)state;
  struct results r = {0};
  add(&r, true, 20, 30);
  add(&r, false, 0, 0);
  add(&r, false, 20, 0);
  callers_merge(&r);
  assert_int_equal(r.findings.length, 0);
  results_free(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(told_apart),
      cmocka_unit_test(nobody_needs_it),
      cmocka_unit_test(not_told_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
