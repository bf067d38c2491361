/* Any text as a suppression file and as an earlier report: what silences findings. */
#include "reader.h"
#include "report/baseline.h"
#include "report/suppress.h"

static struct finding finding = {
    .kind = FINDING_ASSERTION, .message = "x == 1", .place = {.file = "dir/btree.c", .line = 41}};

static void as_suppressions(const char *text) {
  struct suppressions s = {0};
  struct str error = {0};
  if (suppressions_parse(&s, "fuzz", text, &error))
    suppressions_find(&s, &finding);
  else if (!error.length)
    abort();
  suppressions_free(&s);
  str_free(&error);
}

static void as_report(const char *text, size_t size) {
  struct baseline b = {0};
  struct str error = {0};
  bool known;
  if (baseline_parse(&b, "fuzz", text, size, &error))
    baseline_match(&b, &finding, 1, &known);
  else if (!error.length)
    abort();
  baseline_free(&b);
  str_free(&error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = copy_input(data, size);
  as_suppressions(text);
  as_report(text, size);
  free(text);
  return 0;
}
