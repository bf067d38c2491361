/* JSON, SARIF, JUnit and HTML reports, and reading a report back for a replay. */
#include "report/html.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/replay_file.h"
#include "report/sarif.h"
#include "report_fixture.h"
#include <jansson.h>

static void format(const char *results, void (*write)(const struct report *, struct str *),
                   const char *golden) {
  struct fixture x;
  struct str text = {0};
  fixture_open(&x, results);
  write(&x.report, &text);
  assert_golden(golden, &text);
  str_free(&text);
  fixture_close(&x);
}

static void json(void **state) {
  (void)state;
  format("two_findings", report_json, "two_findings.json");
  format("incomplete", report_json, "incomplete.json");
}

static void sarif(void **state) {
  (void)state;
  format("two_findings", report_sarif, "two_findings.sarif");
  format("incomplete", report_sarif, "incomplete.sarif");
}

static void junit(void **state) {
  (void)state;
  format("two_findings", report_junit, "two_findings.junit.xml");
  format("incomplete", report_junit, "incomplete.junit.xml");
}

static void html(void **state) {
  (void)state;
  format("two_findings", report_html, "two_findings.html");
}

/* The page must work without a network, and program texts must not become markup. */
static void html_is_self_contained(void **state) {
  (void)state;
  struct fixture x;
  struct str text = {0};
  fixture_open(&x, "clean");
  vec_push(&x.results.outcomes,
           ((struct outcome){.text = mem_strdup("<script>\"&\x01</script>"), .count = 1}));
  report_html(&x.report, &text);
  assert_null(strstr(str_text(&text), "://"));
  assert_null(strstr(str_text(&text), "<script"));
  assert_non_null(strstr(str_text(&text), "&lt;script&gt;&quot;&amp;"));
  str_free(&text);
  fixture_close(&x);
}

static void texts_that_are_not_utf8(void **state) {
  (void)state;
  struct fixture x;
  struct str text = {0};
  fixture_open(&x, "clean");
  vec_push(&x.results.outcomes, ((struct outcome){.text = mem_strdup("a\xff\xc3z"), .count = 2}));
  report_json(&x.report, &text);
  json_t *root = json_loads(str_text(&text), 0, NULL);
  assert_non_null(root);
  assert_int_equal(json_integer_value(json_object_get(json_object_get(root, "outcomes"),
                                                      "a\xef\xbf\xbd\xef\xbf\xbdz")),
                   2);
  json_decref(root);
  str_free(&text);
  fixture_close(&x);
}

static void check_run(const struct run *r) {
  assert_string_equal(r->program, "tests/reports/list");
  assert_string_equal(r->directory, "tests/reports");
  assert_int_equal(r->arguments.length, 2);
  assert_string_equal(r->arguments.data[1], "a b");
  assert_string_equal(run_option(r, "failures"), "2");
  assert_string_equal(run_option(r, "isolate"), "1");
  assert_null(run_option(r, "first"));
}

static void replay_from_report(void **state) {
  (void)state;
  struct str text = {0}, error = {0};
  struct replay_file f;
  read_file("tests/reports/two_findings.json", &text);
  assert_true(replay_file_read(text.data, text.length, 1, &f, &error));
  check_run(&f.run);
  assert_string_equal(f.token, "f3.r1.r0");
  replay_file_free(&f);
  assert_true(replay_file_read(text.data, text.length, 2, &f, &error));
  assert_string_equal(f.token, "f5.r0");
  assert_string_equal(f.kind, "segfault");
  replay_file_free(&f);
  assert_false(replay_file_read(text.data, text.length, 3, &f, &error));
  assert_string_equal(str_text(&error), "there is no finding 3, the report has 2");
  str_free(&text);
  str_free(&error);
}

static void replay_from_finding(void **state) {
  (void)state;
  struct str text = {0}, error = {0};
  struct replay_file f;
  read_file("tests/reports/two_findings.json", &text);
  json_t *root = json_loads(str_text(&text), 0, NULL);
  char *one = json_dumps(json_array_get(json_object_get(root, "findings"), 1), 0);
  assert_true(replay_file_read(one, strlen(one), 1, &f, &error));
  check_run(&f.run);
  assert_string_equal(f.token, "f5.r0");
  replay_file_free(&f);
  free(one);
  json_decref(root);
  str_free(&text);
}

/* However a report is cut or damaged: one line of explanation, no crash. */
static void replay_from_damaged(void **state) {
  (void)state;
  struct str text = {0};
  read_file("tests/reports/two_findings.json", &text);
  for (size_t n = 0; n < text.length - 2; n += 7) {
    struct replay_file f;
    struct str error = {0};
    assert_false(replay_file_read(text.data, n, 1, &f, &error));
    assert_true(error.length > 0 && !strchr(str_text(&error), '\n'));
    str_free(&error);
  }
  for (size_t n = 0; n < text.length; n += 3) {
    struct replay_file f;
    struct str error = {0};
    char was = text.data[n];
    text.data[n] = '0';
    if (replay_file_read(text.data, text.length, 1, &f, &error))
      replay_file_free(&f);
    else
      assert_true(error.length > 0 && !strchr(str_text(&error), '\n'));
    text.data[n] = was;
    str_free(&error);
  }
  str_free(&text);
}

static void replay_from_foreign(void **state) {
  (void)state;
  static const struct {
    const char *text, *error;
  } cases[] = {
      {"", "the file is empty"},
      {"\x7f"
       "ELF",
       "not a tidemark report: line 1, column 1 is not JSON"},
      {"[1, 2]", "not a tidemark report and not a finding of one"},
      {"{\"findings\": 3}", "not a tidemark report and not a finding of one"},
      {"{\"findings\": []}", "the report has no findings, so there is nothing to replay"},
      {"{\"findings\": [{}]}",
       "it does not say which program was checked (program, arguments, options)"},
      {"{\"replay\": \"f1\"}",
       "it does not say which program was checked (program, arguments, options)"},
      {"{\"findings\": [{}], \"program\": \"p\", \"arguments\": [], \"options\": {}}",
       "the finding has no replay token"},
      {"{\"findings\": [{}], \"program\": \"p\", \"arguments\": [1], \"options\": {}}",
       "the arguments in it are damaged"},
      {"{\"findings\": [{}], \"program\": \"p\", \"arguments\": [], \"options\": {\"x\": {}}}",
       "the option 'x' in it is damaged"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct replay_file f;
    struct str error = {0};
    assert_false(replay_file_read(cases[i].text, strlen(cases[i].text), 1, &f, &error));
    assert_string_equal(str_text(&error), cases[i].error);
    str_free(&error);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(json),
      cmocka_unit_test(sarif),
      cmocka_unit_test(junit),
      cmocka_unit_test(html),
      cmocka_unit_test(html_is_self_contained),
      cmocka_unit_test(texts_that_are_not_utf8),
      cmocka_unit_test(replay_from_report),
      cmocka_unit_test(replay_from_finding),
      cmocka_unit_test(replay_from_damaged),
      cmocka_unit_test(replay_from_foreign),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
