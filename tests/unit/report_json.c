/* JSON, SARIF, JUnit and HTML reports, and reading a report back for a replay. */
#include "report/html.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/replay_file.h"
#include "report/sarif.h"
#include "report/utf8.h"
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

static const struct {
  const char *suffix;
  void (*write)(const struct report *, struct str *);
} formats[] = {{"json", report_json},
               {"sarif", report_sarif},
               {"junit.xml", report_junit},
               {"html", report_html}};

enum { FORMATS = sizeof formats / sizeof *formats };

/* NAME.json, NAME.sarif, ... */
static void format_all(const char *results) {
  for (int i = 0; i < FORMATS; i++) {
    struct str golden = {0};
    str_format(&golden, "%s.%s", results, formats[i].suffix);
    format(results, formats[i].write, str_text(&golden));
    str_free(&golden);
  }
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

/* What a clean verdict does not say, and why a program was not checked, are in every format. */
static void every_format_has_the_notes(void **state) {
  (void)state;
  format_all("notes");
  format_all("nothing_stored");
}

static void every_format_has_the_error(void **state) {
  (void)state;
  format_all("refused_at");
}

static void assert_all_have(const struct report *r, const char *part) {
  for (int i = 0; i < FORMATS; i++) {
    struct str text = {0};
    formats[i].write(r, &text);
    if (!strstr(str_text(&text), part))
      fail_msg("%s: missing: %s", formats[i].suffix, part);
    str_free(&text);
  }
}

static void notes_of(const char *results, const char *model, const char *option, const char *value,
                     const char *note) {
  struct fixture x;
  fixture_open(&x, results);
  report_free(&x.report);
  mem_free(x.run.model, strlen(x.run.model) + 1);
  x.run.model = mem_strdup(model);
  if (option)
    run_add_option(&x.run, option, value);
  report_prepare(&x.report);
  report_conclude(&x.report);
  assert_all_have(&x.report, note);
  fixture_close(&x);
}

static void schedules_are_noted(void **state) {
  (void)state;
  notes_of("notes", "pm", NULL, NULL,
           "its 3 threads ran in one schedule; --schedule=random or all explores others");
  notes_of("clean", "pm", "schedule", "pct:3", "0 schedules were sampled; nothing is known");
  notes_of("clean", "pm", "schedule", "bounded:2", "at most 2 preemptions were explored;");
  notes_of("clean", "cxl", NULL, NULL, "its 2 machines ran in one schedule");
  notes_of("clean", "cxl", "machines", "3", "its 3 machines ran in one schedule");
  notes_of("no_failures", "cxl", NULL, NULL, "--failures=0 or a single machine allows none");
  notes_of("notes", "cxl", NULL, NULL, "about 1,500 accesses to CXL memory there");
}

static void assert_foreign_note(const char *library, uint64_t accesses, const char *note) {
  struct fixture x;
  fixture_open(&x, "clean"); /* 41 program runs */
  report_free(&x.report);
  x.results.foreign = mem_strdup(library);
  x.results.foreign_accesses = accesses;
  report_prepare(&x.report);
  report_conclude(&x.report);
  assert_int_equal(x.report.notes.length, note != NULL);
  if (note)
    assert_string_equal(x.report.notes.data[0], note);
  fixture_close(&x);
}

static void libraries_are_noted(void **state) {
  (void)state;
  assert_foreign_note("/opt/libx.so", 1,
                      "/opt/libx.so was not built with tidemark-cc: what it stores to persistent "
                      "memory is seen, its fences are not");
  assert_foreign_note("/opt/libx.so", 4100,
                      "/opt/libx.so was not built with tidemark-cc; a run makes about 100 accesses "
                      "to persistent memory there, which are slow: build it with tidemark-cc");
  assert_foreign_note("/lib/libc.so.6", 1, NULL);
  assert_foreign_note("/opt/libx.so", 0, NULL);
}

static void empty_checks(void **state) {
  (void)state;
  struct fixture x;
  fixture_open(&x, "nothing_stored");
  assert_true(x.report.empty);
  assert_false(x.results.complete);
  assert_int_equal(report_exit_status(&x.report), 5);
  fixture_close(&x);
  fixture_open(&x, "no_failures"); /* asked for: the note says so */
  assert_int_equal(report_exit_status(&x.report), 0);
  fixture_close(&x);
}

static void assert_is_utf8(const char *name, const struct str *text) {
  uint32_t c;
  for (size_t i = 0, n; i < text->length; i += n) {
    n = utf8_decode(text->data + i, text->length - i, &c);
    if ((c == UTF8_REPLACEMENT && n == 1) || (c < 0x20 && c != '\n'))
      fail_msg("%s: byte %zu is not text", name, i);
  }
}

static void texts_that_are_not_utf8(void **state) {
  (void)state;
  struct fixture x;
  format_all("bytes");
  fixture_open(&x, "bytes");
  for (int i = 0; i < FORMATS; i++) {
    struct str text = {0};
    formats[i].write(&x.report, &text);
    assert_is_utf8(formats[i].suffix, &text);
    str_free(&text);
  }
  struct str text = {0};
  report_json(&x.report, &text);
  json_t *root = json_loads(str_text(&text), 0, NULL);
  assert_non_null(root);
  assert_int_equal(json_integer_value(json_object_get(json_object_get(root, "outcomes"),
                                                      "a\xef\xbf\xbd\xef\xbf\xbdz")),
                   5); /* 2 and 3 */
  json_decref(root);
  str_free(&text);
  fixture_close(&x);
}

/* clang counts bytes; SARIF says in which unit it counts. */
static void sarif_columns(void **state) {
  (void)state;
  struct fixture x;
  struct str text = {0};
  fixture_open(&x, "bytes");
  report_sarif(&x.report, &text);
  json_t *root = json_loads(str_text(&text), 0, NULL);
  json_t *run = json_array_get(json_object_get(root, "runs"), 0);
  json_t *result = json_array_get(json_object_get(run, "results"), 0);
  json_t *place = json_array_get(json_object_get(result, "locations"), 0);
  json_t *region = json_object_get(json_object_get(place, "physicalLocation"), "region");
  assert_string_equal(json_string_value(json_object_get(run, "columnKind")), "utf16CodeUnits");
  assert_int_equal(json_integer_value(json_object_get(region, "startLine")), 2);
  assert_int_equal(json_integer_value(json_object_get(region, "startColumn")), 11);
  json_decref(root);
  str_free(&text);
  fixture_close(&x);
}

static void decoding(void **state) {
  (void)state;
  static const struct {
    const char *text;
    uint32_t character;
    size_t bytes;
  } cases[] = {
      {"a", 'a', 1},
      {"\xc3\xa9", 0xe9, 2},
      {"\xe2\x82\xac", 0x20ac, 3},
      {"\xf0\x9d\x84\x9e", 0x1d11e, 4},
      {"\xf4\x8f\xbf\xbf", 0x10ffff, 4},
      {"\xc3", UTF8_REPLACEMENT, 1}, /* cut off */
      {"\xe2\x82", UTF8_REPLACEMENT, 1},
      {"\xc3z", UTF8_REPLACEMENT, 1},
      {"\x80", UTF8_REPLACEMENT, 1},     /* no beginning */
      {"\xc0\xaf", UTF8_REPLACEMENT, 1}, /* overlong */
      {"\xe0\x80\xaf", UTF8_REPLACEMENT, 1},
      {"\xf0\x80\x80\xaf", UTF8_REPLACEMENT, 1},
      {"\xed\xa0\x80", UTF8_REPLACEMENT, 1},     /* a surrogate */
      {"\xf4\x90\x80\x80", UTF8_REPLACEMENT, 1}, /* beyond U+10FFFF */
      {"\xff", UTF8_REPLACEMENT, 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint32_t c = 0;
    assert_int_equal(utf8_decode(cases[i].text, strlen(cases[i].text), &c), cases[i].bytes);
    assert_int_equal(c, cases[i].character);
  }
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
      {"{\"findings\": [{\"kind\": \"redundant-flush\", \"replay\": null}], \"program\": \"p\", "
       "\"arguments\": [], \"options\": {}}",
       "the finding is about all executions, so there is none to replay: check again"},
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

static void analyses(void **state) {
  (void)state;
  format_all("analyses");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(analyses),
      cmocka_unit_test(json),
      cmocka_unit_test(sarif),
      cmocka_unit_test(junit),
      cmocka_unit_test(html),
      cmocka_unit_test(html_is_self_contained),
      cmocka_unit_test(every_format_has_the_notes),
      cmocka_unit_test(every_format_has_the_error),
      cmocka_unit_test(schedules_are_noted),
      cmocka_unit_test(libraries_are_noted),
      cmocka_unit_test(empty_checks),
      cmocka_unit_test(texts_that_are_not_utf8),
      cmocka_unit_test(sarif_columns),
      cmocka_unit_test(decoding),
      cmocka_unit_test(replay_from_report),
      cmocka_unit_test(replay_from_finding),
      cmocka_unit_test(replay_from_damaged),
      cmocka_unit_test(replay_from_foreign),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
