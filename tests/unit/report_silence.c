/* Suppression files and baselines: what they silence, and what reports say about it. */
#include "report/html.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/sarif.h"
#include "report/silence.h"
#include "report/text.h"
#include "report_fixture.h"
#include <jansson.h>

/* ---- which findings a line fits ---- */

static bool fits(const char *line, const struct finding *f) {
  struct suppressions s = {0};
  struct str error = {0};
  if (!suppressions_parse(&s, "known.supp", line, &error))
    fail_msg("%s: %s", line, str_text(&error));
  bool result = suppressions_find(&s, f) != NULL;
  suppressions_free(&s);
  str_free(&error);
  return result;
}

static void patterns(void **state) {
  (void)state;
  struct finding f = {.kind = FINDING_SEGFAULT,
                      .place = {.file = "src/tree/btree.c", .line = 41, .function = "ns::get"}};
  static const char *const fitting[] = {"segfault:src/tree/btree.c:41",
                                        "segfault:btree.c:41",
                                        "segfault:tree/btree.c:41",
                                        "segfault:btree.c:*",
                                        "segfault:btree.c",
                                        "segfault:*tree*",
                                        "segfault:ns::get",
                                        "segfault:get",
                                        "segfault:ns::*",
                                        "segfault:g?t",
                                        "*:[a-c]tree.c:41",
                                        "seg*:*",
                                        "  segfault:btree.c:41 \r\n",
                                        "*:*:41",
                                        "# x\n\nsegfault:get"};
  static const char *const others[] = {"segfault:btree.c:4", "segfault:btree.c:410",
                                       "segfault:ree.c:41",  "abort:btree.c:41",
                                       "segfault:et",        "segfault:ns",
                                       "segfault:other.c",   "segfault:btree.c:41x",
                                       "# segfault:get",     ""};
  for (size_t i = 0; i < sizeof fitting / sizeof *fitting; i++)
    if (!fits(fitting[i], &f))
      fail_msg("should fit: %s", fitting[i]);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (fits(others[i], &f))
      fail_msg("should not fit: %s", others[i]);
}

static void callers(void **state) {
  (void)state;
  struct place by[] = {{.file = "copy.c", .line = 3, .function = "copy"},
                       {.file = "log.c", .line = 7, .function = "ns::log_append"}};
  struct place later[] = {{.file = "other.c", .line = 5, .function = "other"}};
  struct place loads[] = {{.file = "sum.c", .line = 9, .function = "checksum"},
                          {.file = "log.c", .line = 30, .function = "log_recover"}};
  struct finding_part parts[] = {
      {.role = FINDING_ROLE_LOST, .place = by[0], .stack = {.data = by, .length = 2}},
      {.role = FINDING_ROLE_SURVIVED, .place = later[0], .stack = {.data = later, .length = 1}},
      {.role = FINDING_ROLE_MISSED, .place = loads[0], .stack = {.data = loads, .length = 2}},
      {.role = FINDING_ROLE_READ, .place = later[0]}};
  struct finding f = {.kind = FINDING_ROBUSTNESS,
                      .place = by[0],
                      .parts = {.data = parts, .length = sizeof parts / sizeof *parts}};
  assert_true(fits("robustness:in:copy", &f));
  assert_true(fits("robustness:in:log_append", &f));
  assert_true(fits("robustness:in:log_*", &f));
  assert_true(fits("*:in:ns::*", &f));
  assert_true(fits("robustness:in:log.c:30", &f));
  assert_true(fits("robustness:in:checksum", &f));
  assert_false(fits("robustness:log_append", &f));
  assert_false(fits("robustness:in:other", &f)); /* a later store: anybody's */
  assert_false(fits("robustness:in:log", &f));
  assert_false(fits("persistency-race:in:log_*", &f));
}

static void findings_without_source(void **state) {
  (void)state;
  struct finding f = {.kind = FINDING_ABORT, .place = {.object = "/usr/lib/libx.so.1"}};
  assert_true(fits("abort:libx.so*", &f));
  assert_false(fits("abort:liby.so*", &f));
  assert_false(fits("abort:libx.so.1:3", &f));
  f.place.object = NULL;
  assert_true(fits("abort:*", &f));
  assert_false(fits("abort:libx*", &f));
}

static void mistakes(void **state) {
  (void)state;
  static const struct {
    const char *text, *error;
  } cases[] = {
      {"assertion", "known.supp:1: 'assertion' is neither kind:file:line nor kind:function"},
      {"\n assertion:", "known.supp:2: 'assertion:' is neither kind:file:line nor kind:function"},
      {"hang:f.c:0", "known.supp:1: 'hang:f.c:0' names a line that no file has"},
      {"hang:f.c:4294967297", "known.supp:1: 'hang:f.c:4294967297' names a line that no file has"},
      {"# x\nasertion:f.c:3", "known.supp:2: there is no kind of finding 'asertion' (there are: "
                              "assertion, segfault, "},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct suppressions s = {0};
    struct str error = {0};
    assert_false(suppressions_parse(&s, "known.supp", cases[i].text, &error));
    assert_memory_equal(str_text(&error), cases[i].error, strlen(cases[i].error));
    suppressions_free(&s);
    str_free(&error);
  }
}

/* ---- reports ---- */

struct silent_fixture {
  struct fixture x;
  struct suppressions suppressions;
  struct baseline baseline;
};

/* two_findings with a suppression file and, unless it is NULL, an earlier report. */
static void silent_open(struct silent_fixture *s, const char *suppressions, const char *baseline) {
  struct str error = {0};
  *s = (struct silent_fixture){0};
  fixture_open(&s->x, "two_findings");
  report_free(&s->x.report);
  report_prepare(&s->x.report);
  assert_true(suppressions_parse(&s->suppressions, "known.supp", suppressions, &error));
  if (baseline)
    assert_true(baseline_parse(&s->baseline, "old.json", baseline, strlen(baseline), &error));
  report_silence(&s->x.report, &s->suppressions, baseline ? &s->baseline : NULL);
  report_conclude(&s->x.report);
}

static void silent_close(struct silent_fixture *s) {
  fixture_close(&s->x);
  suppressions_free(&s->suppressions);
  baseline_free(&s->baseline);
}

#define ONE_KNOWN "assertion:list.c:19\nhang:*\n"

static void formats(void **state) {
  (void)state;
  static const struct {
    const char *golden;
    void (*write)(const struct report *, struct str *);
  } cases[] = {{"silenced.json", report_json},
               {"silenced.sarif", report_sarif},
               {"silenced.junit.xml", report_junit},
               {"silenced.html", report_html}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct silent_fixture s;
    struct str text = {0};
    silent_open(&s, ONE_KNOWN, "{\"findings\": []}");
    cases[i].write(&s.x.report, &text);
    assert_golden(cases[i].golden, &text);
    assert_int_equal(report_exit_status(&s.x.report), 1);
    str_free(&text);
    silent_close(&s);
  }
}

static void text(void **state) {
  (void)state;
  struct silent_fixture s;
  struct str text = {0};
  silent_open(&s, ONE_KNOWN, NULL);
  report_text(&s.x.report, &TEXT_STYLE_DEFAULT, &text);
  assert_golden("silenced.txt", &text);
  str_free(&text);
  silent_close(&s);
}

static void assert_verdict(const struct report *r, const char *want) {
  struct str head = {0}, rest = {0};
  report_verdict(r, &head, &rest);
  str_append(&head, str_text(&rest));
  assert_string_equal(str_text(&head), want);
  str_free(&head);
  str_free(&rest);
}

static void everything_silenced(void **state) {
  (void)state;
  struct silent_fixture s;
  silent_open(&s, "*:*", NULL);
  assert_int_equal(report_exit_status(&s.x.report), 0);
  assert_verdict(&s.x.report,
                 "no findings; 2 findings are silenced (2 by known.supp); the search is complete");
  assert_int_equal(s.x.report.notes.length, 0);
  silent_close(&s);
}

/* Nothing of value is left if the program stored nothing and its crash is silenced. */
static void silenced_and_empty(void **state) {
  (void)state;
  struct fixture x;
  struct suppressions s = {0};
  struct str error = {0};
  fixture_open(&x, "two_findings");
  report_free(&x.report);
  x.results.stores = 0;
  report_prepare(&x.report);
  assert_true(suppressions_parse(&s, "known.supp", "*:*", &error));
  report_silence(&x.report, &s, NULL);
  report_conclude(&x.report);
  assert_int_equal(report_exit_status(&x.report), 5);
  fixture_close(&x);
  suppressions_free(&s);
}

static void incomplete_and_silenced(void **state) {
  (void)state;
  struct fixture x;
  struct suppressions s = {0};
  struct str error = {0};
  fixture_open(&x, "machines");
  report_free(&x.report);
  report_prepare(&x.report);
  assert_true(suppressions_parse(&s, "known.supp", "poison:*\nhang:*", &error));
  report_silence(&x.report, &s, NULL);
  report_conclude(&x.report);
  assert_int_equal(report_exit_status(&x.report), 5);
  assert_verdict(&x.report, "the search is incomplete: stopped at the first finding; nothing else "
                            "was found so far, the rest is not known; 1 finding is silenced (1 by "
                            "known.supp)");
  assert_int_equal(x.report.notes.length, 0); /* whether hang:* is of use is not known */
  fixture_close(&x);
  suppressions_free(&s);
}

/* A file written from a run silences it; what was of use stays, what was not goes. */
static void written_suppressions(void **state) {
  (void)state;
  struct silent_fixture s;
  struct str text = {0};
  silent_open(&s, "segfault:libdemo.so\nhang:*", NULL);
  report_suppressions(&s.x.report, &text);
  assert_string_equal(str_text(&text), "segfault:libdemo.so\n"
                                       "# assertion failed: value == 10 * n->key in recover\n"
                                       "assertion:list.c:19\n");
  silent_close(&s);
  silent_open(&s, str_text(&text), NULL);
  assert_int_equal(s.x.results.findings.length, 0);
  silent_close(&s);
  str_clear(&text);
  silent_open(&s, "", NULL);
  report_suppressions(&s.x.report, &text);
  silent_close(&s);
  silent_open(&s, str_text(&text), NULL);
  assert_int_equal(s.x.results.findings.length, 0);
  silent_close(&s);
  str_free(&text);
}

/* Patterns in names are names. */
static void written_patterns(void **state) {
  (void)state;
  struct results results = {.complete = true};
  struct report r = {.results = &results};
  struct finding odd = {.kind = FINDING_ABORT,
                        .place = {.function = "ns::vec<int *>::operator[]", .object = "x"}};
  struct finding same = {.kind = FINDING_ABORT, .place = {.function = "ns::vec<int >::operator"}};
  struct finding nowhere = {.kind = FINDING_FATAL_SIGNAL, .message = "killed\nhang:*"};
  struct str text = {0};
  vec_push(&results.findings, odd);
  vec_push(&results.findings, odd);
  vec_push(&results.findings, nowhere);
  report_suppressions(&r, &text);
  assert_string_equal(str_text(&text),
                      "# the program aborted in ns::vec<int *>::operator[]\n"
                      "abort:ns::vec<int \\*>::operator\\[]\n"
                      "# fatal signal: killed hang:*\n"
                      "# It has no place; this would silence every one like it: fatal-signal:*\n");
  assert_true(fits(str_text(&text), &odd));
  assert_false(fits(str_text(&text), &same));
  assert_false(fits(str_text(&text), &nowhere));
  vec_free(&results.findings);
  str_free(&text);
}

/* ---- baselines ---- */

static void baseline_of_itself(void **state) {
  (void)state;
  struct silent_fixture s;
  struct str old = {0};
  read_file("tests/reports/two_findings.json", &old);
  silent_open(&s, "segfault:*", str_text(&old));
  assert_int_equal(s.x.results.findings.length, 0);
  assert_verdict(&s.x.report, "no findings; 2 findings are silenced (1 by known.supp, 1 by "
                              "old.json); the search is complete");
  assert_int_equal(s.x.report.notes.length, 0); /* the other one appeared again, too */
  /* what it silenced is known to the next one */
  str_clear(&old);
  report_json(&s.x.report, &old);
  silent_close(&s);
  silent_open(&s, "", str_text(&old));
  assert_int_equal(s.x.results.findings.length, 0);
  assert_int_equal(report_exit_status(&s.x.report), 0);
  silent_close(&s);
  str_free(&old);
}

/* Twice known is not three times known; those at the same line come first. */
static void baseline_counts(void **state) {
  (void)state;
  struct place at = {.file = "f.c", .function = "f", .line = 3};
  struct finding f = {.kind = FINDING_ABORT, .place = at}, found[3] = {f, f, f};
  struct str fingerprint = {0}, text = {0}, error = {0};
  struct baseline b = {0};
  bool known[3];
  found[0].place.line = 5;
  found[1].place.line = 9;
  found[2].place.line = 7;
  finding_fingerprint(&f, &fingerprint);
  str_format(&text,
             "{\"findings\": [{\"fingerprint\": \"%s\", \"location\": {\"line\": 7}},"
             "{\"fingerprint\": \"%s\", \"location\": {\"line\": 8}},"
             "{\"fingerprint\": \"gone\", \"location\": null}]}",
             str_text(&fingerprint), str_text(&fingerprint));
  assert_true(baseline_parse(&b, "old.json", text.data, text.length, &error));
  baseline_match(&b, found, 3, known);
  assert_true(known[0]);
  assert_false(known[1]);
  assert_true(known[2]);
  assert_false(b.list.data[2].matched);
  baseline_free(&b);
  str_free(&fingerprint);
  str_free(&text);
}

static void unusable_baselines(void **state) {
  (void)state;
  static const struct {
    const char *text, *error;
  } cases[] = {
      {"", "old.json: not a tidemark report: line 1, column 0 is not JSON"},
      {"[]", "old.json: not a tidemark report (tidemark check --json=FILE writes one)"},
      {"{\"findings\": [{}]}", "old.json: a finding in it has no fingerprint"},
      {"{\"findings\": [], \"error\": \"no such program\"}",
       "old.json: the program could not be checked when it was written: no such program"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct baseline b = {0};
    struct str error = {0};
    assert_false(baseline_parse(&b, "old.json", cases[i].text, strlen(cases[i].text), &error));
    assert_string_equal(str_text(&error), cases[i].error);
    baseline_free(&b);
    str_free(&error);
  }
}

static void gone_and_unused(void **state) {
  (void)state;
  struct silent_fixture s;
  struct str lines = {0};
  for (int i = 1; i <= 12; i++)
    str_format(&lines, "hang:f%d\n", i);
  silent_open(&s, str_text(&lines),
              "{\"findings\": [{\"fingerprint\": \"1\", \"location\": null}]}");
  assert_int_equal(s.x.report.notes.length, 12);
  assert_string_equal(s.x.report.notes.data[0], "known.supp:1: no finding fits 'hang:f1' any more");
  assert_string_equal(s.x.report.notes.data[10], "known.supp: no finding fits 2 other lines");
  assert_string_equal(s.x.report.notes.data[11], "1 finding of old.json did not appear again");
  silent_close(&s);
  str_free(&lines);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(patterns),
      cmocka_unit_test(callers),
      cmocka_unit_test(findings_without_source),
      cmocka_unit_test(mistakes),
      cmocka_unit_test(formats),
      cmocka_unit_test(text),
      cmocka_unit_test(everything_silenced),
      cmocka_unit_test(silenced_and_empty),
      cmocka_unit_test(incomplete_and_silenced),
      cmocka_unit_test(written_suppressions),
      cmocka_unit_test(written_patterns),
      cmocka_unit_test(baseline_of_itself),
      cmocka_unit_test(baseline_counts),
      cmocka_unit_test(unusable_baselines),
      cmocka_unit_test(gone_and_unused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
