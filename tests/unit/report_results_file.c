/* Results as text: what is written is read back, and nothing else is accepted. */
#include "report_fixture.h"

static void round_trip(void **state) {
  (void)state;
  static const char *const names[] = {"two_findings", "clean",      "incomplete", "nothing_stored",
                                      "machines",     "refused_at", "no_failures"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct str path = {0}, text = {0}, again = {0}, error = {0};
    struct results r = {0}, s = {0};
    str_format(&path, "tests/reports/%s.results", names[i]);
    read_file(str_text(&path), &text);
    assert_true(results_read(str_text(&text), &r, &error));
    results_write(&r, &again);
    assert_true(results_read(str_text(&again), &s, &error));
    assert_int_equal(r.findings.length, s.findings.length);
    assert_int_equal(r.outcomes.length, s.outcomes.length);
    assert_int_equal(r.notes.length, s.notes.length);
    assert_int_equal(r.error_stack.length, s.error_stack.length);
    str_clear(&text);
    results_write(&s, &text);
    assert_string_equal(str_text(&text), str_text(&again));
    results_free(&r);
    results_free(&s);
    str_free(&path);
    str_free(&text);
    str_free(&again);
  }
}

static void texts_with_everything_in_them(void **state) {
  (void)state;
  struct results r = {.complete = true, .cpu_seconds = 18446744073709551615.0 / 1e9}, s = {0};
  struct str text = {0}, error = {0};
  struct finding f = {.message = mem_strdup("a\tb\nc\\n \\"), .token = mem_strdup("f1.r0")};
  vec_push(&f.variables,
           ((struct finding_variable){.address = 77, .object = mem_strdup("a\tb"), .offset = 7}));
  vec_push(&r.findings, f);
  vec_push(&r.outcomes, ((struct outcome){.text = mem_strdup("x\ty\n"), .count = 3}));
  results_write(&r, &text);
  assert_true(results_read(str_text(&text), &s, &error));
  assert_non_null(strstr(str_text(&text), "cpu-nanoseconds 18446744073709551615\n"));
  assert_string_equal(s.findings.data[0].message, "a\tb\nc\\n \\");
  assert_int_equal(s.findings.data[0].variables.length, 1);
  struct finding_variable v = s.findings.data[0].variables.data[0];
  assert_string_equal(v.object, "a\tb");
  assert_true(v.address == 77 && v.offset == 7);
  assert_string_equal(s.outcomes.data[0].text, "x\ty\n");
  assert_int_equal(s.outcomes.data[0].count, 3);
  results_free(&r);
  results_free(&s);
  str_free(&text);
}

static void cut_anywhere(void **state) {
  (void)state;
  struct str text = {0};
  read_file("tests/reports/two_findings.results", &text);
  for (size_t n = 0; n < text.length; n++) {
    struct str cut = {0}, error = {0};
    struct results r = {0};
    str_append_bytes(&cut, text.data, n);
    assert_false(results_read(str_text(&cut), &r, &error));
    assert_true(error.length > 0);
    results_free(&r);
    str_free(&cut);
    str_free(&error);
  }
  str_free(&text);
}

static void damaged_anywhere(void **state) {
  (void)state;
  struct str text = {0};
  read_file("tests/reports/two_findings.results", &text);
  for (size_t n = 0; n < text.length; n++) {
    static const char damage[] = "\t\nx";
    for (const char *d = damage; *d; d++) {
      struct str error = {0};
      struct results r = {0};
      char was = text.data[n];
      text.data[n] = *d;
      (void)results_read(str_text(&text), &r, &error); /* either answer, but no crash */
      text.data[n] = was;
      results_free(&r);
      str_free(&error);
    }
  }
  str_free(&text);
}

static void foreign(void **state) {
  (void)state;
  struct str error = {0};
  struct results r = {0};
  assert_false(results_read("hello\n", &r, &error));
  assert_string_equal(str_text(&error), "not a results file");
  str_free(&error);
  assert_false(results_read("tidemark-results 1\ncomplete 1\nnote \nend\n", &r, &error));
  assert_non_null(strstr(str_text(&error), "line 3"));
  results_free(&r);
  str_free(&error);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_trip),   cmocka_unit_test(texts_with_everything_in_them),
      cmocka_unit_test(cut_anywhere), cmocka_unit_test(damaged_anywhere),
      cmocka_unit_test(foreign),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
