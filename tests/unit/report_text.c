/* The text report against files that were read by a person. */
#include "report/text.h"
#include "report/utf8.h"
#include "report_fixture.h"

static void compare(const char *results, const char *golden, struct text_style style,
                    const char *json_path) {
  struct fixture x;
  struct str text = {0};
  fixture_open(&x, results);
  x.report.json_path = json_path;
  report_text(&x.report, &style, &text);
  assert_golden(golden, &text);
  str_free(&text);
  fixture_close(&x);
}

static void findings(void **state) {
  (void)state;
  compare("two_findings", "two_findings.txt", TEXT_STYLE_DEFAULT, NULL);
}

static void analyses(void **state) {
  (void)state;
  compare("analyses", "analyses.txt", TEXT_STYLE_DEFAULT, NULL);
}

static void colored(void **state) {
  (void)state;
  struct text_style style = TEXT_STYLE_DEFAULT;
  style.color = true;
  compare("two_findings", "two_findings.color.txt", style, "out/report.json");
}

static void long_lists_are_cut(void **state) {
  (void)state;
  compare("two_findings", "two_findings.short.txt",
          (struct text_style){.loads_max = 1, .stores_max = 1, .frames_max = 1, .outcomes_max = 1},
          NULL);
}

/* Long source lines are cut around the mark, and what is under it stays under it. */
static void narrow(void **state) {
  (void)state;
  struct text_style style = TEXT_STYLE_DEFAULT;
  style.width = 40;
  compare("two_findings", "two_findings.narrow.txt", style, NULL);
}

static void clean(void **state) {
  (void)state;
  compare("clean", "clean.txt", TEXT_STYLE_DEFAULT, NULL);
}

static void incomplete(void **state) {
  (void)state;
  compare("incomplete", "incomplete.txt", TEXT_STYLE_DEFAULT, NULL);
}

static void nothing_stored(void **state) {
  (void)state;
  compare("nothing_stored", "nothing_stored.txt", TEXT_STYLE_DEFAULT, NULL);
}

static void nothing_ended(void **state) {
  (void)state;
  compare("nothing_ended", "nothing_ended.txt", TEXT_STYLE_DEFAULT, NULL);
}

static void no_failures(void **state) {
  (void)state;
  compare("no_failures", "no_failures.txt", TEXT_STYLE_DEFAULT, NULL);
}

static void machines(void **state) {
  (void)state;
  struct fixture x;
  struct str text = {0};
  struct text_style style = TEXT_STYLE_DEFAULT;
  fixture_open(&x, "machines");
  mem_free(x.run.model, sizeof "pm");
  x.run.model = mem_strdup("cxl");
  report_text(&x.report, &style, &text);
  assert_golden("machines.txt", &text);
  str_free(&text);
  fixture_close(&x);
}

static void assert_noted(const char *model, const char *schedule, const char *note) {
  struct results results = {.complete = true, .stores = 1, .schedules = 20, .threads = 1};
  struct run run = {.model = mem_strdup(model)};
  struct report r = {.run = &run, .results = &results};
  if (schedule)
    run_add_option(&run, "schedule", schedule);
  report_conclude(&r);
  assert_int_equal(r.notes.length, note ? 1 : 0);
  if (note)
    assert_non_null(strstr(r.notes.data[0], note));
  report_free(&r);
  run_free(&run);
}

static void schedules_that_were_not_explored(void **state) {
  (void)state;
  assert_noted("cxl", NULL, "its 2 machines ran in one schedule");
  assert_noted("cxl", "all", NULL);
  assert_noted("pm", "random", "20 schedules were sampled; nothing is known about others");
  assert_noted("pm", "pct:3", "20 schedules were sampled; nothing is known about others");
}

static void exit_statuses(void **state) {
  (void)state;
  struct results x = {.complete = true};
  struct report r = {.results = &x};
  assert_int_equal(report_exit_status(&r), 0);
  x.complete = false;
  assert_int_equal(report_exit_status(&r), 5);
  vec_push(&x.findings, ((struct finding){0}));
  assert_int_equal(report_exit_status(&r), 1);
  x.complete = true;
  assert_int_equal(report_exit_status(&r), 1);
  x.error = mem_strdup("not built with tidemark-cc");
  assert_int_equal(report_exit_status(&r), 3);
  r.internal_error = true;
  assert_int_equal(report_exit_status(&r), 4);
  results_free(&x);
}

/* A name of a function, a file, a message: whatever it holds, the terminal gets characters. */
static void terminals_are_safe(void **state) {
  (void)state;
  struct fixture x;
  struct str text = {0};
  struct text_style style = TEXT_STYLE_DEFAULT;
  fixture_open(&x, "bytes");
  report_text(&x.report, &style, &text);
  assert_golden("bytes.txt", &text);
  uint32_t c;
  for (size_t i = 0, n; i < text.length; i += n) {
    n = utf8_decode(text.data + i, text.length - i, &c);
    assert_true(c == '\n' || !utf8_is_control(c));
    assert_true(c != UTF8_REPLACEMENT || n == 3);
  }
  str_free(&text);
  fixture_close(&x);
}

static void fingerprints_ignore_lines_and_addresses(void **state) {
  (void)state;
  struct place p = {.file = "/a/list.c", .function = "f", .line = 3};
  struct finding f = {.kind = FINDING_SEGFAULT, .message = "read of 0x10", .place = p}, g = f;
  struct str a = {0}, b = {0};
  g.place.file = "/b/c/list.c";
  g.place.line = 99;
  g.message = "read of 0x7fff20";
  finding_fingerprint(&f, &a);
  finding_fingerprint(&g, &b);
  assert_string_equal(str_text(&a), str_text(&b));
  str_clear(&b);
  g.place.function = "g";
  finding_fingerprint(&g, &b);
  assert_string_not_equal(str_text(&a), str_text(&b));
  str_clear(&b);
  g = f;
  g.kind = FINDING_ABORT;
  finding_fingerprint(&g, &b);
  assert_string_not_equal(str_text(&a), str_text(&b));
  str_free(&a);
  str_free(&b);
}

static void assert_place(const char *file, const char *shown) {
  struct place p = {.file = (char *)file, .line = 3};
  struct str text = {0};
  place_text(&p, true, &text);
  assert_string_equal(str_text(&text), shown);
  str_free(&text);
}

static void paths(void **state) {
  (void)state;
  assert_place("a.c", "a.c:3");
  assert_place("x/../a.c", "a.c:3");
  assert_place("/x/y/../../z/../a.c", "/a.c:3");
  assert_place("../a.c", "../a.c:3");
  assert_place("../../a.c", "../../a.c:3");
  assert_place("../x/../a.c", "../a.c:3");
  assert_place("/../a.c", "/../a.c:3");
  assert_place("x..y/../a..c", "a..c:3");
}

static void numbers(void **state) {
  (void)state;
  struct str s = {0};
  count_text(0, &s);
  str_append(&s, " ");
  count_text(999, &s);
  str_append(&s, " ");
  count_text(1234567, &s);
  assert_string_equal(str_text(&s), "0 999 1,234,567");
  str_clear(&s);
  shell_quote("it's", &s);
  assert_string_equal(str_text(&s), "'it'\\''s'");
  str_free(&s);
}

/* Long names of templates. */
static void function_names(void **state) {
  static const struct {
    const char *name, *shown;
  } rows[] = {
      {"insert", "insert"},
      {"short_one<int, long>::operator<", "short_one<int, long>::operator<"},
      {"a::vector<a::padded<element_with_a_name<List>, 128ul>, "
       "a::allocator<element_with_a_name>>::grow",
       "a::vector<...>::grow"},
      {"a::iterator<a::padded<element_with_a_name<List>, 128ul>> a::vector<padded, 128ul>::grow<>",
       "a::vector<...>::grow<...>"},
      {"a::vector<a::padded<element_with_a_name<List>, 128ul>, allocator_of_elements>::operator->",
       "a::vector<...>::operator->"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct str text = {0};
    function_text(rows[i].name, &text);
    assert_string_equal(str_text(&text), rows[i].shown);
    str_free(&text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(findings),
      cmocka_unit_test(analyses),
      cmocka_unit_test(function_names),
      cmocka_unit_test(colored),
      cmocka_unit_test(long_lists_are_cut),
      cmocka_unit_test(narrow),
      cmocka_unit_test(clean),
      cmocka_unit_test(incomplete),
      cmocka_unit_test(nothing_stored),
      cmocka_unit_test(no_failures),
      cmocka_unit_test(nothing_ended),
      cmocka_unit_test(machines),
      cmocka_unit_test(schedules_that_were_not_explored),
      cmocka_unit_test(exit_statuses),
      cmocka_unit_test(terminals_are_safe),
      cmocka_unit_test(fingerprints_ignore_lines_and_addresses),
      cmocka_unit_test(paths),
      cmocka_unit_test(numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
