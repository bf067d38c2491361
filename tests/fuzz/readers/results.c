/* Any text as what a worker hands over, in whose process the program under test may have written anywhere; and as a
 * finding to be replayed.  What is accepted is joined, written, read again, and shown in every format. */
#include "finding/results_file.h"
#include "finding/results_merge.h"
#include "reader.h"
#include "report/conclusion.h"
#include "report/html.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/replay_file.h"
#include "report/sarif.h"
#include "report/suppress.h"
#include "report/text.h"

static void write_text(const struct report *r, struct str *out) {
  report_text(r, &TEXT_STYLE_DEFAULT, out);
}

static void (*const formats[])(const struct report *, struct str *) = {
    write_text, report_json, report_sarif, report_html, report_junit, report_suppressions};

static void show(struct results *results) {
  struct run run = {.program = mem_strdup("fuzz"), .model = mem_strdup("pm")};
  struct report report = {.version = "0", .run = &run, .results = results};
  report_prepare(&report);
  report_conclude(&report);
  report_exit_status(&report);
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    struct str text = {0};
    formats[i](&report, &text);
    str_free(&text);
  }
  report_free(&report);
  run_free(&run);
}

static void as_results(const char *text) {
  struct results first = {0}, second = {0};
  struct str error = {0}, again = {0};
  if (results_read(text, &first, &error)) {
    results_write(&first, &again);
    if (!results_read(str_text(&again), &second, &error))
      abort();
    results_join(&first, &second);
    results_settle(&first);
    show(&first);
  } else if (!error.length)
    abort();
  results_free(&first);
  results_free(&second);
  str_free(&error);
  str_free(&again);
}

static void as_replay(const char *text, size_t size) {
  struct replay_file f;
  struct str error = {0};
  if (replay_file_read(text, size, 1, &f, &error))
    replay_file_free(&f);
  else if (!error.length)
    abort();
  str_free(&error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = copy_input(data, size);
  as_results(text);
  as_replay(text, size);
  free(text);
  return 0;
}
