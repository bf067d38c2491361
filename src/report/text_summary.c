#include "report/text_summary.h"
#include "report/conclusion.h"
#include <string.h>

static void put_row(struct page *p, const char *name, const struct str *text) {
  page_put(p, "  ");
  page_paint(p, INK_STRONG, "%-14s", name);
  page_put(p, " %s\n", str_text(text));
}

static void put_outcomes(struct page *p, const struct results *x) {
  struct str text = {0};
  if (!x->outcomes.length)
    return;
  str_format(&text, "%zu different", x->outcomes.length);
  put_row(p, "outcomes", &text);
  for (size_t i = 0; i < x->outcomes.length; i++) {
    if (i == p->style->outcomes_max) {
      page_put(p, "                 and %zu more (all are in the JSON report)\n",
               x->outcomes.length - i);
      break;
    }
    str_clear(&text);
    total_text(x->outcomes.data[i].count, x->outcomes.data[i].count_text, &text);
    page_put(p, "  %14s x ", str_text(&text));
    const char *outcome = *x->outcomes.data[i].text ? x->outcomes.data[i].text : "(empty)";
    page_put_safe(p, outcome, strlen(outcome), false);
    page_put(p, "\n");
  }
  str_free(&text);
}

/* A command with the contents of a file among its arguments is not to bury the report. */
#define COMMAND_MAX 300

static void put_counts(struct page *p) {
  const struct results *x = p->report->results;
  struct str text = {0};
  page_paint(p, INK_STRONG, "checked");
  report_command(p->report->run, &text);
  if (text.length > COMMAND_MAX) {
    str_truncate(&text, COMMAND_MAX);
    str_append(&text, "...");
  }
  page_put(p, " %s (%s)\n", str_text(&text), p->report->run->model ? p->report->run->model : "pm");
  str_clear(&text);
  total_text(x->executions, x->executions_text, &text);
  str_append(&text, " covered by ");
  count_text(x->program_runs, &text);
  str_append(&text, x->program_runs == 1 ? " program run" : " program runs");
  put_row(p, "executions", &text);
  str_clear(&text);
  count_text(x->failure_points, &text);
  if (report_has_failures(p->report))
    put_row(p, "failure points", &text);
  if (x->schedules > 1 && report_has_failures(p->report)) { /* otherwise they are the executions */
    str_clear(&text);
    count_text(x->schedules, &text);
    put_row(p, "schedules", &text);
  }
  put_outcomes(p, x);
  if (x->eager_states) {
    str_clear(&text);
    str_format(&text, "%s, for a checker that builds every one of them", x->eager_states);
    put_row(p, "eager states", &text);
  }
  str_clear(&text);
  seconds_text(x->cpu_seconds, &text);
  str_append(&text, " s CPU, ");
  seconds_text(p->report->wall_seconds, &text);
  str_append(&text, " s in all");
  if (x->peak_bytes) {
    str_append(&text, ", ");
    count_text((x->peak_bytes + (1 << 20) - 1) >> 20, &text);
    str_append(&text, " MiB");
  }
  put_row(p, "time, memory", &text);
  str_free(&text);
}

static void put_verdict(struct page *p) {
  const struct report *r = p->report;
  struct str head = {0}, rest = {0};
  report_verdict(r, &head, &rest);
  page_put(p, "\n");
  page_paint(p,
             r->results->findings.length ? INK_ERROR
             : r->results->complete      ? INK_GOOD
                                         : INK_WARNING,
             "%s", str_text(&head));
  page_put(p, "%s\n", str_text(&rest));
  for (size_t i = 0; i < r->notes.length; i++) {
    page_paint(p, INK_WARNING, "note");
    page_put(p, ": ");
    page_put_safe(p, r->notes.data[i], strlen(r->notes.data[i]), false);
    page_put(p, "\n");
  }
  str_free(&head);
  str_free(&rest);
}

void text_put_summary(struct page *p) {
  put_counts(p);
  put_verdict(p);
}
