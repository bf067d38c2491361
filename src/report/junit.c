#include "report/junit.h"
#include "report/part_text.h"
#include <stdio.h>

/* XML 1.0 has no way to write most control characters. */
static void put_text(struct str *out, const char *text) {
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '&')
      str_append(out, "&amp;");
    else if (c == '<')
      str_append(out, "&lt;");
    else if (c == '>')
      str_append(out, "&gt;");
    else if (c == '"')
      str_append(out, "&quot;");
    else if (c == '\n' || c == '\t')
      str_format(out, "&#%d;", c);
    else
      str_append_char(out, c < 0x20 ? '?' : (char)c);
  }
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

static void put_finding(const struct report *r, size_t number, const char *command,
                        struct str *out) {
  const struct finding *f = &r->results->findings.data[number - 1];
  const struct place *at = finding_place(f);
  struct str text = {0};
  str_format(&text, "%s at ", finding_kind_text(f->kind));
  place_text(at, true, &text);
  begin_case(out, command, str_text(&text));
  if (at->file)
    put_attribute(out, "file", at->file);
  str_append(out, ">\n      <failure");
  put_attribute(out, "type", finding_kind_text(f->kind));
  str_clear(&text);
  finding_headline(f, &text);
  put_attribute(out, "message", str_text(&text));
  str_append(out, ">");
  if (f->fix) {
    put_text(out, f->fix);
    str_append(out, "&#10;");
  }
  for (size_t i = 0; i < f->windows.length; i++) {
    str_clear(&text);
    window_text(&f->windows.data[i], &text);
    put_text(out, str_text(&text));
    str_append(out, "&#10;");
  }
  for (size_t i = 0; i < f->parts.length; i++) {
    str_clear(&text);
    part_text(&f->parts.data[i], &text);
    str_append(&text, ": ");
    place_text(&f->parts.data[i].place, true, &text);
    put_text(out, str_text(&text));
    str_append(out, "&#10;");
  }
  str_clear(&text);
  str_append(&text, "replay: ");
  finding_replay_command(r, number, &text);
  put_text(out, str_text(&text));
  str_append(out, "</failure>\n    </testcase>\n");
  str_free(&text);
}

/* The search itself: it fails if it is incomplete. */
static void put_search(const struct results *x, const char *command, struct str *out) {
  begin_case(out, command, "the search is complete");
  if (x->complete) {
    str_append(out, "/>\n");
    return;
  }
  str_append(out, ">\n      <failure type=\"incomplete\"");
  put_attribute(out, "message", x->incomplete_why ? x->incomplete_why : "no reason was given");
  str_append(out, "/>\n    </testcase>\n");
}

void report_junit(const struct report *r, struct str *out) {
  const struct results *x = r->results;
  struct str command = {0};
  size_t findings = x->findings.length;
  char seconds[32];
  snprintf(seconds, sizeof seconds, "%.3f", r->wall_seconds);
  report_command(r->run, &command);
  str_append(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
  str_format(out, "  <testsuite name=\"tidemark\" tests=\"%zu\" failures=\"%zu\" errors=\"0\"",
             findings + 1, findings + !x->complete);
  put_attribute(out, "time", seconds);
  str_append(out, ">\n");
  put_search(x, str_text(&command), out);
  for (size_t i = 0; i < findings; i++)
    put_finding(r, i + 1, str_text(&command), out);
  str_append(out, "  </testsuite>\n</testsuites>\n");
  str_free(&command);
}
