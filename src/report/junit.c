#include "report/junit.h"
#include "report/part_text.h"
#include "report/utf8.h"
#include <stdio.h>
#include <string.h>

static void put_text(struct str *out, const char *text) {
  utf8_append_markup(out, text, strlen(text));
}

static void put_attribute(struct str *out, const char *name, const char *text) {
  str_format(out, " %s=\"", name);
  put_text(out, text);
  str_append_char(out, '"');
}

static void begin_case(struct str *out, const char *command, const char *name) {
  str_append(out, "    <testcase");
  put_attribute(out, "classname", command);
  put_attribute(out, "name", name);
}

static void put_name(const struct finding *f, struct str *out) {
  str_format(out, "%s at ", finding_kind_text(f->kind));
  place_text(finding_place(f), true, out);
}

/* How many findings before this one have its name?  Readers of the file take two tests with one name for one. */
static size_t namesakes(const struct report *r, const struct finding *f) {
  size_t count = 0, findings = r->results->findings.length;
  struct str name = {0}, other = {0};
  put_name(f, &name);
  for (size_t i = 0; i < findings + r->silenced.length; i++) {
    const struct finding *x =
        i < findings ? &r->results->findings.data[i] : &r->silenced.data[i - findings].finding;
    if (x == f)
      break;
    str_clear(&other);
    put_name(x, &other);
    count += strcmp(str_text(&other), str_text(&name)) == 0;
  }
  str_free(&name);
  str_free(&other);
  return count;
}

static void begin_finding(const struct report *r, const struct finding *f, const char *command,
                          struct str *out) {
  const struct place *at = finding_place(f);
  size_t before = namesakes(r, f);
  struct str text = {0};
  put_name(f, &text);
  if (before)
    str_format(&text, " (%zu)", before + 1);
  begin_case(out, command, str_text(&text));
  if (at->file)
    put_attribute(out, "file", at->file);
  str_append(out, ">\n");
  str_free(&text);
}

static void put_silenced(const struct report *r, const struct silenced *x, const char *command,
                         struct str *out) {
  struct str text = {0};
  begin_finding(r, &x->finding, command, out);
  str_format(&text, "silenced by %s: ", x->by);
  finding_headline(&x->finding, &text);
  str_append(out, "      <skipped");
  put_attribute(out, "message", str_text(&text));
  str_append(out, "/>\n    </testcase>\n");
  str_free(&text);
}

static void put_finding(const struct report *r, size_t number, const char *command,
                        struct str *out) {
  const struct finding *f = &r->results->findings.data[number - 1];
  struct str text = {0};
  begin_finding(r, f, command, out);
  str_append(out, "      <failure");
  put_attribute(out, "type", finding_kind_text(f->kind));
  finding_headline(f, &text);
  put_attribute(out, "message", str_text(&text));
  str_append(out, ">");
  if (f->fix) {
    put_text(out, f->fix);
    str_append(out, "&#10;");
  }
  const char *label;
  for (size_t i = 0; fix_line_text(f, i, &label, &text); i++) {
    str_format(out, "%s: ", label);
    put_text(out, str_text(&text));
    str_append(out, "&#10;");
  }
  for (size_t i = 0; i < f->parts.length; i++) {
    str_clear(&text);
    part_text(&f->parts.data[i], &text);
    str_append(&text, ": ");
    place_text(part_place(&f->parts.data[i]), true, &text);
    put_text(out, str_text(&text));
    str_append(out, "&#10;");
  }
  str_clear(&text);
  if (!finding_kind_is_of_all(f->kind)) {
    str_append(&text, "replay: ");
    finding_replay_command(r, number, &text);
    put_text(out, str_text(&text));
  }
  str_append(out, "</failure>\n    </testcase>\n");
  str_free(&text);
}

/* The search itself: it fails if it is incomplete, and is an error if there was none. */
static void put_search(const struct report *r, const char *command, struct str *out) {
  const struct results *x = r->results;
  struct str stack = {0};
  begin_case(out, command, "the search is complete");
  if (x->complete && !x->error) {
    str_append(out, "/>\n");
    return;
  }
  str_append(out, x->error ? ">\n      <error type=\"not checked\""
                           : ">\n      <failure type=\"incomplete\"");
  put_attribute(out, "message",
                x->error            ? x->error
                : x->incomplete_why ? x->incomplete_why
                                    : "no reason was given");
  str_append(out, ">");
  report_error_stack(r, &stack);
  put_text(out, str_text(&stack));
  str_append(out, x->error ? "</error>\n    </testcase>\n" : "</failure>\n    </testcase>\n");
  str_free(&stack);
}

static void put_notes(const struct report *r, struct str *out) {
  if (!r->notes.length)
    return;
  str_append(out, "    <properties>\n");
  for (size_t i = 0; i < r->notes.length; i++) {
    str_append(out, "      <property name=\"note\"");
    put_attribute(out, "value", r->notes.data[i]);
    str_append(out, "/>\n");
  }
  str_append(out, "    </properties>\n");
}

void report_junit(const struct report *r, struct str *out) {
  const struct results *x = r->results;
  struct str command = {0};
  size_t findings = x->findings.length;
  char seconds[32];
  snprintf(seconds, sizeof seconds, "%.3f", r->wall_seconds);
  report_command(r->run, &command);
  str_append(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
  str_format(
      out,
      "  <testsuite name=\"tidemark\" tests=\"%zu\" failures=\"%zu\" errors=\"%d\" skipped=\"%zu\"",
      findings + 1 + r->silenced.length, findings + (!x->complete && !x->error), x->error != NULL,
      r->silenced.length);
  put_attribute(out, "time", seconds);
  str_append(out, ">\n");
  put_notes(r, out);
  put_search(r, str_text(&command), out);
  for (size_t i = 0; i < findings; i++)
    put_finding(r, i + 1, str_text(&command), out);
  for (size_t i = 0; i < r->silenced.length; i++)
    put_silenced(r, &r->silenced.data[i], str_text(&command), out);
  str_append(out, "  </testsuite>\n</testsuites>\n");
  str_free(&command);
}
