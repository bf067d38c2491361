/* The page reads from top to bottom: verdict, numbers, then each finding as a timeline
 *
 *      o  execution 1: before any failure
 *      x  the power fails
 *      o  a load, with the stores it could read
 *      !  the finding
 *
 * Style and structure only; no scripts, no references to anything outside the page. */
#include "report/html.h"
#include "report/conclusion.h"
#include "report/html_style.h"
#include "report/part_text.h"
#include "report/source.h"
#include "report/utf8.h"
#include <ctype.h>
#include <string.h>

#define CONTEXT_LINES 2

struct page {
  const struct report *report;
  struct str *out;
};

/* ---- pieces ---- */

static void put(struct page *p, const char *html) {
  str_append(p->out, html);
}

static void put_text(struct page *p, const char *text) {
  utf8_append_markup(p->out, text, strlen(text));
}

static void put_str(struct page *p, struct str *text) {
  put_text(p, str_text(text));
  str_free(text);
}

static void put_place(struct page *p, const struct place *at) {
  struct str text = {0};
  struct place shown = place_from_directory(p->report->run, at);
  place_text(&shown, true, &text);
  put(p, "<span class=where>");
  put_str(p, &text);
  if (at->function) {
    put(p, " in <b>");
    put_text(p, at->function);
    put(p, "</b>");
  }
  put(p, "</span>");
}

static void put_excerpt(struct page *p, const struct place *at) {
  size_t length;
  if (!sources_line(p->report->sources, at->file, at->line, &length))
    return;
  uint32_t first = at->line > CONTEXT_LINES ? at->line - CONTEXT_LINES : 1;
  put(p, "<pre>");
  for (uint32_t n = first; n <= at->line + CONTEXT_LINES; n++) {
    const char *line = sources_line(p->report->sources, at->file, n, &length);
    if (!line)
      break;
    bool here = n == at->line;
    str_format(p->out, "<span class=\"%s\"><i>%4u</i> ", here ? "line here" : "line", n);
    size_t from = here && at->column && at->column <= length ? at->column - 1 : length;
    size_t word = from < length ? source_word_length(line, length, at->column) : 0;
    utf8_append_markup(p->out, line, from);
    if (word) {
      put(p, "<mark>");
      utf8_append_markup(p->out, line + from, word);
      put(p, "</mark>");
      utf8_append_markup(p->out, line + from + word, length - from - word);
    }
    put(p, "</span>\n");
  }
  put(p, "</pre>");
}

/* ---- a finding ---- */

static void begin_event(struct page *p, const char *class, int execution) {
  str_format(p->out, "<li class=\"%s\"><div class=when>", class);
  if (execution == 0)
    put(p, report_has_failures(p->report) ? "before any failure" : "");
  else
    str_format(p->out, "after %d failure%s", execution, execution == 1 ? "" : "s");
  put(p, "</div>");
}

/* whose: "thread 0"; released. */
static void put_stack(struct page *p, const place_list *stack, struct str *whose) {
  put(p, "<table class=stack><caption>Stack of ");
  put_str(p, whose);
  put(p, "</caption>");
  for (size_t i = 0; i < stack_users_length(stack); i++) {
    struct str where = {0};
    place_text(&stack->data[i], true, &where);
    put(p, "<tr><td>");
    put_text(p, stack->data[i].function ? stack->data[i].function : "?");
    put(p, "</td><td>");
    put_str(p, &where);
    put(p, "</td></tr>");
  }
  put(p, "</table>");
}

static void put_failure(struct page *p, const struct finding_failure *x) {
  begin_event(p, "failure", x->execution);
  put(p, "<h4>");
  if (x->machine >= 0)
    str_format(p->out, "Machine %d fails", x->machine);
  else
    put(p, "The power fails");
  struct str moment = {0};
  failure_moment(x, "", &moment);
  put(p, " ");
  put_str(p, &moment);
  put(p, "</h4>");
  if (place_known(&x->place))
    put_place(p, &x->place);
  put_excerpt(p, &x->place);
  if (x->stack.length > 1) {
    str_append(&moment, "the thread that was running");
    put_stack(p, &x->stack, &moment);
  }
  if (x->own.length) {
    str_append(&moment, "the machine that failed");
    put_stack(p, &x->own, &moment);
  }
  for (size_t i = 0; i < x->stands.length; i++) {
    str_clear(&moment);
    stand_text(p->report->sources, &x->stands.data[i], &moment);
    put(p, "<p>");
    put_str(p, &moment);
    put(p, "</p>");
  }
  put(p, "</li>");
}

static void put_candidate(struct page *p, const struct finding_load *l, size_t i) {
  const struct finding_store *s = &l->stores.data[i];
  const char *fate = store_fate_text(store_fate(l, i));
  struct str text = {0};
  str_format(p->out, "<tr class=%s><td><span class=fate>%s</span></td><td><code>", fate, fate);
  value_text(s->value, &text);
  put_str(p, &text);
  put(p, "</code></td>");
  if (s->initial) {
    put(p, "<td>initial contents</td><td></td></tr>");
    return;
  }
  put(p, "<td>");
  put_place(p, &s->place);
  put(p, "</td><td>");
  actor_text(p->report, s->machine, s->thread, &text);
  put_str(p, &text);
  put(p, "</td></tr>");
}

static void put_load(struct page *p, const struct finding_load *l) {
  struct str address = {0};
  load_address_text(l, &address);
  begin_event(p, load_is_stale(l) ? "load stale" : "load", l->execution);
  str_format(p->out, "<h4>A load of %d bytes at <code>", l->size);
  put_str(p, &address);
  str_format(p->out, "</code> could read any of %zu stores</h4>", l->stores.length);
  put_place(p, &l->place);
  put_excerpt(p, &l->place);
  put(p, "<table class=stores><tr><th></th><th>value</th><th>stored at</th><th>by</th></tr>");
  for (size_t i = 0; i < l->stores.length; i++)
    put_candidate(p, l, i);
  put(p, "</table></li>");
}

static void put_end(struct page *p, const struct finding *f) {
  struct str headline = {0};
  finding_headline(f, &headline);
  begin_event(p, "end", f->execution);
  put(p, "<h4>");
  put_str(p, &headline);
  put(p, "</h4>");
  put_place(p, finding_place(f));
  put_excerpt(p, finding_place(f));
  if (f->stack.length > 1) {
    if (finding_kind_is_of_all(f->kind))
      str_append(&headline, "whoever executes it");
    else
      actor_text(p->report, f->machine, f->thread, &headline);
    put_stack(p, &f->stack, &headline);
  }
  put(p, "</li>");
}

static void put_timeline(struct page *p, const struct finding *f) {
  size_t next = 0;
  put(p, "<ol class=timeline>");
  for (size_t i = 0; i < f->failures.length; i++) {
    for (; next < f->loads.length && f->loads.data[next].execution <= f->failures.data[i].execution;
         next++)
      put_load(p, &f->loads.data[next]);
    put_failure(p, &f->failures.data[i]);
  }
  for (; next < f->loads.length; next++)
    put_load(p, &f->loads.data[next]);
  put_end(p, f);
  put(p, "</ol>");
}

static void put_turn(struct page *p, const struct finding_turn *t) {
  struct str what = {0};
  turn_text(p->report->sources, t, "", &what);
  put_str(p, &what);
}

/* A column for each thread: what it goes on with, and its buffer. */
static void put_columns(struct page *p, const struct finding *f) {
  int threads = 0;
  for (size_t i = 0; i < f->turns.length; i++)
    threads = f->turns.data[i].thread >= threads ? f->turns.data[i].thread + 1 : threads;
  str_format(p->out, "<details open><summary>Schedule: %zu turn%s</summary>", f->turns.length,
             f->turns.length == 1 ? "" : "s");
  put(p, "<table class=threads><tr>");
  for (int t = 0; t < threads; t++)
    str_format(p->out, "<th>thread %d</th>", t);
  put(p, "</tr>");
  for (size_t i = 0; i < f->turns.length; i++) {
    const struct finding_turn *turn = &f->turns.data[i];
    struct str where = {0};
    place_text(&turn->place, false, &where);
    put(p, "<tr>");
    for (int t = 0; t < turn->thread; t++)
      put(p, "<td></td>");
    put(p, turn->drain ? "<td class=drain>buffer: " : "<td class=step>");
    put_turn(p, turn);
    put(p, "<br><span class=where>");
    put_str(p, &where);
    put(p, "</span></td>");
    for (int t = turn->thread + 1; t < threads; t++)
      put(p, "<td></td>");
    put(p, "</tr>");
  }
  put(p, "</table></details>");
}

static void put_schedule(struct page *p, const struct finding *f) {
  if (!f->turns.length)
    return;
  if (!report_has_failures(p->report)) {
    put_columns(p, f);
    return;
  }
  put(p, "<details><summary>Schedule: ");
  str_format(p->out, "%zu turn%s</summary><table class=stack>", f->turns.length,
             f->turns.length == 1 ? "" : "s");
  for (size_t i = 0; i < f->turns.length; i++) {
    const struct finding_turn *t = &f->turns.data[i];
    struct str where = {0};
    place_text(&t->place, true, &where);
    str_format(p->out, "<tr><td>thread %d%s</td><td>", t->thread, t->drain ? ", store buffer" : "");
    put_turn(p, t);
    put(p, "</td><td>");
    put_text(p, t->place.function ? t->place.function : "");
    put(p, "</td><td>");
    put_str(p, &where);
    put(p, "</td></tr>");
  }
  put(p, "</table></details>");
}

static void put_windows(struct page *p, const struct finding *f) {
  const char *label;
  struct str text = {0};
  for (size_t i = 0; fix_line_text(f, i, &label, &text); i++) {
    str_format(p->out, "<p>%s: ", label);
    put_str(p, &text);
    put(p, "</p>");
  }
  str_free(&text);
}

/* What the finding of an analysis is about. */
static void put_parts(struct page *p, const struct finding *f) {
  struct str text = {0};
  for (size_t i = 0; i < f->parts.length; i++) {
    str_clear(&text);
    part_text(&f->parts.data[i], &text);
    put(p, "<h4>");
    put_str(p, &text);
    put(p, "</h4><p>");
    put_place(p, part_place(&f->parts.data[i]));
    put(p, "</p>");
    put_excerpt(p, part_place(&f->parts.data[i]));
    if (f->parts.data[i].stack.length > 1) {
      str_append(&text, "this access");
      put_stack(p, &f->parts.data[i].stack, &text);
    }
  }
  str_free(&text);
}

static void put_finding(struct page *p, size_t number) {
  const struct finding *f = &p->report->results->findings.data[number - 1];
  bool of_all = finding_kind_is_of_all(f->kind);
  struct str text = {0};
  str_format(p->out, "<section id=\"finding-%zu\"><h2><span class=kind>%s</span> ", number,
             finding_kind_text(f->kind));
  finding_headline(f, &text);
  put_str(p, &text);
  put(p, "</h2><p>");
  put_place(p, finding_place(f));
  put(p, of_all ? " &middot; executed " : " &middot; seen in ");
  total_text(f->count, f->count_text, &text);
  put_str(p, &text);
  put(p, of_all ? " time" : " execution");
  put(p, f->count == 1 ? "</p>" : "s</p>");
  if (f->fix) {
    put(p, place_known(&f->fix_place) ? "<div class=fix><h4>Likely fix</h4><p>"
                                      : "<div class=fix><h4>What to look at</h4><p>");
    put_text(p, f->fix);
    put(p, "</p>");
    if (place_known(&f->fix_place))
      put_place(p, &f->fix_place);
    put_excerpt(p, &f->fix_place);
    put_windows(p, f);
    put(p, "</div>");
  }
  put_parts(p, f);
  put_timeline(p, f);
  put_schedule(p, f);
  if (!of_all) {
    put(p, "<p class=replay>Replay: <code>");
    finding_replay_command(p->report, number, &text);
    put_str(p, &text);
    put(p, "</code></p>");
  }
  put(p, "</section>");
}

/* ---- the page ---- */

static void put_tile(struct page *p, const char *name, struct str *value) {
  put(p, "<div><b>");
  put_str(p, value);
  put(p, "</b>");
  put_text(p, name);
  put(p, "</div>");
}

static void put_tiles(struct page *p) {
  const struct results *x = p->report->results;
  struct str text = {0};
  put(p, "<div class=tiles>");
  total_text(x->executions, x->executions_text, &text);
  put_tile(p, "executions covered", &text);
  count_text(x->program_runs, &text);
  put_tile(p, "program runs", &text);
  if (report_has_failures(p->report)) {
    count_text(x->failure_points, &text);
    put_tile(p, "failure points", &text);
  }
  seconds_text(x->cpu_seconds, &text);
  str_append(&text, " s");
  put_tile(p, "CPU time", &text);
  if (x->eager_states) {
    str_append(&text, x->eager_states);
    put_tile(p, "states of an eager checker", &text);
  }
  put(p, "</div>");
}

static void put_verdict(struct page *p) {
  const struct report *r = p->report;
  struct str text = {0}, rest = {0};
  report_verdict(r, &text, &rest);
  str_append(&text, str_text(&rest));
  str_free(&rest);
  text.data[0] = (char)toupper((unsigned char)text.data[0]);
  str_format(p->out, "<p class=\"verdict %s\">",
             r->results->findings.length ? "bad"
             : r->results->complete      ? "good"
                                         : "open");
  put_str(p, &text);
  put(p, "</p>");
  if (r->results->error_stack.length) {
    str_append(&text, "the call");
    put_stack(p, &r->results->error_stack, &text);
  }
  if (!r->notes.length)
    return;
  put(p, "<ul class=notes>");
  for (size_t i = 0; i < r->notes.length; i++) {
    put(p, "<li>");
    put_text(p, r->notes.data[i]);
    put(p, "</li>");
  }
  put(p, "</ul>");
}

static void put_contents(struct page *p) {
  const struct results *x = p->report->results;
  if (x->findings.length < 2)
    return;
  put(p, "<nav><ol>");
  for (size_t i = 0; i < x->findings.length; i++) {
    struct str text = {0};
    finding_headline(&x->findings.data[i], &text);
    str_format(p->out, "<li><a href=\"#finding-%zu\">", i + 1);
    put_str(p, &text);
    put(p, "</a> ");
    put_place(p, finding_place(&x->findings.data[i]));
    put(p, "</li>");
  }
  put(p, "</ol></nav>");
}

static void put_silenced(struct page *p) {
  const struct report *r = p->report;
  if (!r->silenced.length)
    return;
  put(p, "<section><h2>Silenced findings</h2><table><tr><th>finding</th><th>where</th>"
         "<th>silenced by</th></tr>");
  for (size_t i = 0; i < r->silenced.length; i++) {
    const struct silenced *x = &r->silenced.data[i];
    struct str headline = {0};
    finding_headline(&x->finding, &headline);
    put(p, "<tr><td>");
    put_str(p, &headline);
    put(p, "</td><td>");
    put_place(p, finding_place(&x->finding));
    put(p, "</td><td>");
    put_text(p, x->by);
    put(p, "</td></tr>");
  }
  put(p, "</table></section>");
}

static void put_outcomes(struct page *p) {
  const struct results *x = p->report->results;
  uint64_t most = 1;
  if (!x->outcomes.length)
    return;
  for (size_t i = 0; i < x->outcomes.length; i++)
    most = x->outcomes.data[i].count > most ? x->outcomes.data[i].count : most;
  put(p, "<section><h2>Outcomes</h2><table class=outcomes>");
  for (size_t i = 0; i < x->outcomes.length; i++) {
    struct str count = {0};
    total_text(x->outcomes.data[i].count, x->outcomes.data[i].count_text, &count);
    put(p, "<tr><td>");
    put_str(p, &count);
    str_format(p->out, "</td><td class=bar><span style=\"width:%u%%\"></span></td><td><code>",
               (unsigned)(x->outcomes.data[i].count * 100 / most));
    put_text(p, x->outcomes.data[i].text);
    put(p, "</code></td></tr>");
  }
  put(p, "</table></section>");
}

void report_html(const struct report *r, struct str *out) {
  struct page p = {.report = r, .out = out};
  struct str command = {0};
  report_command(r->run, &command);
  put(&p, "<!doctype html><html lang=en><head><meta charset=utf-8>"
          "<meta name=viewport content=\"width=device-width\"><title>Tidemark: ");
  put_text(&p, str_text(&command));
  put(&p, "</title><style>" HTML_STYLE "</style></head><body><header><h1>Tidemark</h1><code>");
  put_text(&p, str_text(&command));
  put(&p, "</code>");
  put_verdict(&p);
  put_tiles(&p);
  put_contents(&p);
  put(&p, "</header><main>");
  for (size_t i = 0; i < r->results->findings.length; i++)
    put_finding(&p, i + 1);
  put_silenced(&p);
  put_outcomes(&p);
  put(&p, "</main><footer>tidemark ");
  put_text(&p, r->version);
  put(&p, ", model ");
  put_text(&p, r->run->model ? r->run->model : "pm");
  put(&p, "</footer></body></html>\n");
  str_free(&command);
}
