/* Results from tests/reports and a run to go with them.  Tests run at the repository root. */
#ifndef TESTS_UNIT_REPORT_FIXTURE_H
#define TESTS_UNIT_REPORT_FIXTURE_H

#include "file_text.h"
#include "finding/results_file.h"
#include "report/conclusion.h"
#include <stdlib.h>
#include <string.h>

struct fixture {
  struct run run;
  struct results results;
  struct report report;
};

static inline void fixture_open(struct fixture *x, const char *name) {
  struct str path = {0}, text = {0}, error = {0};
  *x = (struct fixture){0};
  str_format(&path, "tests/reports/%s.results", name);
  read_file(str_text(&path), &text);
  if (!results_read(str_text(&text), &x->results, &error))
    fail_msg("%s: %s", str_text(&path), str_text(&error));
  x->run.program = mem_strdup("tests/reports/list");
  x->run.directory = mem_strdup("tests/reports");
  x->run.model = mem_strdup("pm");
  vec_push(&x->run.arguments, mem_strdup("3"));
  vec_push(&x->run.arguments, mem_strdup("a b"));
  run_add_option(&x->run, "failures", "2");
  run_add_option(&x->run, "isolate", NULL);
  x->report = (struct report){
      .version = "1.2.3", .run = &x->run, .results = &x->results, .wall_seconds = 0.5};
  report_prepare(&x->report);
  report_conclude(&x->report);
  str_free(&path);
  str_free(&text);
}

static inline void fixture_close(struct fixture *x) {
  report_free(&x->report);
  results_free(&x->results);
  run_free(&x->run);
}

/* Compare with a file of tests/reports.  TIDEMARK_UPDATE_GOLDEN=1 writes it instead. */
static inline void assert_golden(const char *name, const struct str *text) {
  struct str path = {0}, want = {0};
  str_format(&path, "tests/reports/%s", name);
  if (getenv("TIDEMARK_UPDATE_GOLDEN")) {
    FILE *f = fopen(str_text(&path), "w");
    assert_non_null(f);
    fwrite(text->data, 1, text->length, f);
    fclose(f);
    return;
  }
  read_file(str_text(&path), &want);
  assert_string_equal(str_text(text), str_text(&want));
  str_free(&path);
  str_free(&want);
}

#endif
