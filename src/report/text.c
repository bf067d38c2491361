/* Layout of one finding:
 *
 *      error[kind]: headline
 *         --> file:line:column
 *          |
 *       41 |   the source line
 *          |   ^^^^ in function
 *          |
 *      note: where the failure was injected, in the same form
 *      note: each uncertain load, in the same form, with the stores it could read
 *      help: the likely fix, in the same form
 *          = how often, how to replay
 */
#include "report/text.h"
#include "report/cause.h"
#include "report/part_text.h"
#include "report/text_loads.h"
#include "report/text_page.h"
#include "report/text_summary.h"
#include <string.h>

static const char *plural(uint64_t n) {
  return n == 1 ? "" : "s";
}

/* ---- parts of a finding ---- */

static void widen(int *gutter, const struct place *at) {
  int digits = 1;
  for (uint32_t n = at->line; n >= 10; n /= 10)
    digits++;
  if (digits > *gutter)
    *gutter = digits;
}

static int gutter_of(const struct finding *f) {
  int gutter = 2;
  widen(&gutter, finding_place(f));
  widen(&gutter, &f->fix_place);
  for (size_t i = 0; i < f->failures.length; i++)
    widen(&gutter, &f->failures.data[i].place);
  for (size_t i = 0; i < f->failures.length; i++)
    if (f->failures.data[i].own.length)
      widen(&gutter, &f->failures.data[i].own.data[0]);
  for (size_t i = 0; i < f->loads.length; i++)
    widen(&gutter, &f->loads.data[i].place);
  for (size_t i = 0; i < f->parts.length; i++)
    widen(&gutter, part_place(&f->parts.data[i]));
  return gutter;
}

static bool same_frame(const struct place *a, const struct place *b) {
  return a->line == b->line && a->column == b->column && a->offset == b->offset && a->function &&
         b->function && strcmp(a->function, b->function) == 0;
}

static void put_frame(struct page *p, const struct place *at, bool first, size_t widest,
                      size_t times) {
  struct str where = {0}, function = {0};
  place_text(at, false, &where);
  function_text(at->function ? at->function : "?", &function);
  page_begin_line(p);
  page_put(p, "   %s %-*s  %s", first ? "stack:" : "      ", (int)widest, str_text(&where),
           str_text(&function));
  str_free(&function);
  if (times > 1)
    page_put(p, " (%zu times)", times);
  page_put(p, "\n");
  str_free(&where);
}

static void put_stack(struct page *p, const place_list *stack) {
  size_t widest = 0, shown = 0, next, length = stack_users_length(stack);
  if (length < 2)
    return;
  for (size_t i = 0; i < length; i++) {
    struct str where = {0};
    place_text(&stack->data[i], false, &where);
    widest = where.length > widest ? where.length : widest;
    str_free(&where);
  }
  for (size_t i = 0; i < length; i = next) {
    for (next = i + 1; next < length; next++)
      if (!same_frame(&stack->data[i], &stack->data[next]))
        break;
    if (shown++ == p->style->frames_max) {
      page_begin_line(p);
      page_put(p, "          and %zu more\n", length - i);
      return;
    }
    put_frame(p, &stack->data[i], i == 0, widest, next - i);
  }
}

#define CALLERS_MAX 4

/* The first frame that called the place; below it may be code of libraries. */
static size_t first_caller(const place_list *stack, const struct place *at) {
  for (size_t i = 0; i < stack->length; i++)
    if (at->file && stack->data[i].file && stack->data[i].line == at->line &&
        strcmp(stack->data[i].file, at->file) == 0)
      return i + 1;
  return 1;
}

/* The same in one line, without the place itself. */
static void put_callers(struct page *p, const place_list *stack, const struct place *at) {
  struct str where = {0};
  size_t first = first_caller(stack, at), length = stack_users_length(stack);
  if (first >= length)
    return;
  page_begin_line(p);
  page_put(p, "   called from:");
  for (size_t i = first; i < length; i++) {
    if (i - first == CALLERS_MAX) {
      page_put(p, " and %zu more", length - i);
      break;
    }
    str_clear(&where);
    place_text(&stack->data[i], false, &where);
    str_append_char(&where, ' ');
    function_text(stack->data[i].function ? stack->data[i].function : "?", &where);
    page_put(p, "%s %s", i > first ? "," : "", str_text(&where));
  }
  page_put(p, "\n");
  str_free(&where);
}

/* Who made it go wrong, and after how many failures. */
static void put_occasion(const struct page *p, const struct finding *f, struct str *label) {
  str_append(label, label->length ? ", " : "in ");
  actor_text(p->report, f->machine, f->thread, label);
  if (!report_has_failures(p->report))
    return;
  if (f->execution == 0 && !f->failures.length)
    str_append(label, ", without any failure");
  else if (f->execution == 1)
    str_append(label, ", after the failure");
  else if (f->execution > 1)
    str_format(label, ", after %d failures", f->execution);
}

static void put_head(struct page *p, const struct finding *f) {
  struct str headline = {0}, label = {0};
  const struct place *at = finding_place(f);
  finding_headline(f, &headline);
  enum ink ink = finding_is_wrong(f) ? INK_ERROR : INK_WARNING;
  page_paint(p, ink, "%s[%s]", finding_level(f), finding_kind_text(f->kind));
  page_paint(p, INK_STRONG, ": ");
  if (p->style->color)
    str_append(p->out, "\033[1m");
  page_put_safe(p, str_text(&headline), headline.length, false);
  if (p->style->color)
    str_append(p->out, "\033[0m");
  page_put(p, "\n");
  if (place_known(at)) {
    page_in_function(at, &label);
    if (!finding_kind_is_of_all(f->kind))
      put_occasion(p, f, &label);
    page_put_excerpt(p, at, ink, str_text(&label));
    put_stack(p, &f->stack);
    page_begin_line(p);
    page_put(p, "\n");
  }
  str_free(&headline);
  str_free(&label);
}

/* Where the failed machine was, if the place above is another one's. */
static void put_own_place(struct page *p, const struct finding_failure *x) {
  struct str label = {0};
  if (!x->own.length && !x->ended)
    return;
  page_paint(p, INK_NOTE, "note");
  page_put(p, x->ended ? ": the program of machine %d was over\n" : ": machine %d was here\n",
           x->machine);
  if (x->own.length) {
    page_in_function(&x->own.data[0], &label);
    page_put_excerpt(p, &x->own.data[0], INK_NOTE, str_text(&label));
    put_stack(p, &x->own);
    page_begin_line(p);
    page_put(p, "\n");
  }
  str_free(&label);
}

/* Where a thread stood, in explored schedules. */
static void put_stand(struct page *p, const struct finding_turn *t) {
  struct str text = {0};
  stand_text(p->report->sources, t, &text);
  page_begin_line(p);
  page_put(p, "   %s\n", str_text(&text));
  str_free(&text);
}

static void put_failure(struct page *p, const struct finding *f, size_t i) {
  const struct finding_failure *x = &f->failures.data[i];
  struct str label = {0};
  page_paint(p, INK_NOTE, "note");
  if (x->machine >= 0)
    page_put(p, ": machine %d failed", x->machine);
  else
    page_put(p, ": the power failed");
  if (f->failures.length > 1)
    page_put(p, " (failure %zu of %zu)", i + 1, f->failures.length);
  failure_moment(x, "`", &label);
  page_put(p, " %s\n", str_text(&label));
  str_clear(&label);
  if (place_known(&x->place)) {
    page_in_function(&x->place, &label);
    page_put_excerpt(p, &x->place, INK_NOTE, str_text(&label));
    put_stack(p, &x->stack);
  }
  for (size_t j = 0; j < x->stands.length; j++)
    put_stand(p, &x->stands.data[j]);
  if (place_known(&x->place) || x->stands.length) {
    page_begin_line(p);
    page_put(p, "\n");
  }
  str_free(&label);
  put_own_place(p, x);
}

static void put_turn(struct page *p, const struct finding_turn *t) {
  struct str where = {0}, what = {0};
  place_text(&t->place, false, &where);
  turn_text(p->report->sources, t, "the ", &what);
  page_begin_line(p);
  page_put(p, "     thread %d", t->thread);
  if (strcmp(t->what, "end") == 0)
    page_put(p, " ends");
  else
    page_put(p, t->drain ? "'s store buffer drains %s" : " goes on with %s", str_text(&what));
  str_free(&what);
  if (place_known(&t->place))
    page_put(p, " at %s%s%s", str_text(&where), t->place.function ? " in " : "",
             t->place.function ? t->place.function : "");
  if (t->execution)
    page_put(p, ", after failure %d", t->execution);
  page_put(p, "\n");
  str_free(&where);
}

/* Only what is nearest to the bug, if it is long. */
static void put_schedule(struct page *p, const struct finding *f) {
  size_t n = f->turns.length, shown = n < p->style->turns_max ? n : p->style->turns_max;
  if (n == 0)
    return;
  page_paint(p, INK_NOTE, "note");
  page_put(p, ": the threads took turns in this order\n");
  if (shown < n) {
    page_begin_line(p);
    page_put(p, "     %zu earlier turn%s (all are in the JSON report)\n", n - shown,
             plural(n - shown));
  }
  for (size_t i = n - shown; i < n; i++)
    put_turn(p, &f->turns.data[i]);
  page_begin_line(p);
  page_put(p, "\n");
}

static bool is_shown(const struct finding *f, size_t part) {
  enum finding_role role = f->parts.data[part].role;
  return role != FINDING_ROLE_FREED && role != FINDING_ROLE_DESTROYED &&
         role != FINDING_ROLE_WAITS && role != FINDING_ROLE_HOLDS && role != FINDING_ROLE_UNHEARD &&
         same_frame(&f->parts.data[part].place, &f->place);
}

/* The part that is the finding's own place, which has been shown.  Two threads may race in one place. */
static size_t own_part(const struct finding *f) {
  size_t first = f->parts.length;
  for (size_t i = 0; i < f->parts.length; i++) /* a macro may have the store in the same place */
    if (f->parts.data[i].role == FINDING_ROLE_EARLY && is_shown(f, i))
      return i;
  for (size_t i = f->parts.length; i-- > 0;)
    if (is_shown(f, i))
      first = i;
  for (size_t i = first; i < f->parts.length; i++)
    if (is_shown(f, i) && f->parts.data[i].thread == f->thread)
      return i;
  return first;
}

/* What the finding of an analysis is about. */
static void put_parts(struct page *p, const struct finding *f) {
  struct str text = {0}, label = {0};
  size_t own = own_part(f);
  for (size_t i = 0; i < f->parts.length; i++) {
    const struct finding_part *x = &f->parts.data[i];
    if (i == own)
      continue;
    str_clear(&text);
    str_clear(&label);
    part_text(x, &text);
    page_paint(p, INK_NOTE, "note");
    page_put(p, ": %s\n", str_text(&text));
    const struct place *at = part_place(x);
    page_in_function(at, &label);
    if (!report_has_failures(p->report))
      str_format(&label, "%sthread %d", label.length ? ", " : "", x->thread);
    page_put_excerpt(p, at, INK_NOTE, str_text(&label));
    if (at == &x->place)
      put_callers(p, &x->stack, at);
    else
      put_stack(p, &x->stack);
    page_begin_line(p);
    page_put(p, "\n");
  }
  str_free(&text);
  str_free(&label);
}

static void put_fact(struct page *p, const char *name, const char *text) {
  page_paint(p, INK_GUTTER, "%*s =", p->gutter, "");
  page_paint(p, INK_STRONG, " %s", name);
  page_put(p, ": %s\n", text);
}

static void put_windows(struct page *p, const struct finding *f) {
  const char *label;
  struct str text = {0};
  for (size_t i = 0; fix_line_text(f, i, &label, &text); i++)
    put_fact(p, label, str_text(&text));
  str_free(&text);
}

static void put_fix(struct page *p, const struct finding *f) {
  if (!f->fix)
    return;
  struct str label = {0};
  page_paint(p, INK_HELP, "help");
  page_put(p, ": ");
  page_put_safe(p, f->fix, strlen(f->fix), false);
  page_put(p, "\n");
  if (place_known(&f->fix_place) && !(f->parts.length && same_frame(&f->fix_place, &f->place))) {
    page_in_function(&f->fix_place, &label);
    page_put_excerpt(p, &f->fix_place, INK_HELP, str_text(&label));
    page_begin_line(p);
    page_put(p, "\n");
  }
  str_free(&label);
}

/* What further findings with the same cause add. */
static void put_others(struct page *p, size_t number) {
  struct str text = {0};
  for (size_t i = number; i < p->report->results->findings.length; i++) {
    if (cause_of(p->report, i) != number - 1)
      continue;
    str_clear(&text);
    cause_text(p->report, i, &text);
    put_fact(p, "also", str_text(&text));
  }
  str_free(&text);
}

static void put_finding(struct page *p, size_t number) {
  const struct finding *f = &p->report->results->findings.data[number - 1];
  struct str text = {0};
  p->gutter = gutter_of(f);
  put_head(p, f);
  for (size_t i = 0; i < f->failures.length; i++)
    put_failure(p, f, i);
  if (f->parts.length)
    put_parts(p, f);
  else
    text_put_loads(p, f);
  put_schedule(p, f);
  put_fix(p, f);
  put_windows(p, f);
  bool of_all = finding_kind_is_of_all(f->kind);
  total_text(f->count, f->count_text, &text);
  str_format(&text, of_all ? " time%s, in all runs of the program" : " execution%s",
             plural(f->count));
  if (!p->report->replay)
    put_fact(p, of_all ? "executed" : "seen in", str_text(&text));
  str_clear(&text);
  if (!p->report->replay && !of_all) {
    finding_replay_command(p->report, number, &text);
    put_fact(p, "replay", str_text(&text));
  }
  if (!p->report->replay && f->kind == FINDING_EXIT_STATUS)
    put_fact(p, "note", "the replay shows what the program printed; it may say why");
  put_others(p, number);
  page_put(p, "\n");
  str_free(&text);
}

void report_text(const struct report *r, const struct text_style *style, struct str *out) {
  struct page p = {.report = r, .style = style, .out = out};
  for (size_t i = 0; i < r->results->findings.length; i++)
    if (cause_of(r, i) == i)
      put_finding(&p, i + 1);
  if (!r->replay)
    text_put_summary(&p);
}
