#include "base/mem.h"
#include "report/age.h"
#include "report/callers.h"
#include "report/field.h"
#include "report/foreign.h"
#include "report/locate.h"
#include "report/pool.h"
#include "report/report.h"
#include "report/symbol.h"
#include <stdlib.h>
#include <string.h>

/* Replace code offsets by source positions; inlined functions become frames of their own. */
static void expand_stack(struct symbols *s, place_list *stack) {
  place_list frames = {0};
  for (size_t i = 0; i < stack->length; i++) {
    struct place *p = &stack->data[i];
    if (p->file || !p->object) {
      vec_push(&frames, *p);
      continue;
    }
    size_t innermost = frames.length;
    symbols_frames(s, p->object, p->offset, &frames);
    frames.data[innermost].offset = p->offset;
  }
  vec_free(stack);
  *stack = frames;
}

/* assert knows its line but no column, and the function as __PRETTY_FUNCTION__; the frame it was called
 * from has both as every other place does. */
static void complete_from_stack(struct finding *f) {
  struct place *p = &f->place;
  const struct place *frame = f->stack.length ? &f->stack.data[0] : NULL;
  if (p->column || !p->file || !frame || !frame->file || frame->line != p->line ||
      strcmp(path_basename(frame->file), path_basename(p->file)) != 0)
    return;
  p->column = frame->column;
  if (frame->function) {
    if (p->function)
      mem_free(p->function, strlen(p->function) + 1);
    p->function = mem_strdup(frame->function);
  }
}

/* Code of several lines that the compiler has merged has no line; the access itself knows its own. */
static void complete_stack(place_list *stack, const struct place *at) {
  struct place *frame = stack->length ? &stack->data[0] : NULL;
  if (!frame || frame->line || !at->line || !frame->function || !at->function ||
      strcmp(frame->function, at->function) != 0)
    return;
  frame->line = at->line;
  frame->column = at->column;
}

/* A turn in code of a library is one at its call. */
static void move_to_call(struct finding_turn *t) {
  for (size_t i = 1; i < t->stack.length && !place_is_users_code(&t->place); i++) {
    const struct place *callee = &t->stack.data[i - 1];
    if (!place_is_users_code(&t->stack.data[i]))
      continue;
    struct str name = {0};
    if (callee->function)
      function_text(callee->function, &name);
    t->call = name.length ? mem_strdup(str_text(&name)) : NULL;
    str_free(&name);
    place_free(&t->place);
    t->place = place_copy(&t->stack.data[i]);
  }
}

/* Calls `visit` for every place of a finding. */
static void visit_places(struct finding *f, struct locator *l,
                         void (*visit)(struct locator *, struct place *)) {
  visit(l, &f->place);
  visit(l, &f->fix_place);
  for (size_t i = 0; i < f->stack.length; i++)
    visit(l, &f->stack.data[i]);
  for (size_t i = 0; i < f->failures.length; i++) {
    visit(l, &f->failures.data[i].place);
    for (size_t j = 0; j < f->failures.data[i].stack.length; j++)
      visit(l, &f->failures.data[i].stack.data[j]);
    for (size_t j = 0; j < f->failures.data[i].own.length; j++)
      visit(l, &f->failures.data[i].own.data[j]);
    for (size_t j = 0; j < f->failures.data[i].stands.length; j++)
      visit(l, &f->failures.data[i].stands.data[j].place);
  }
  for (size_t i = 0; i < f->loads.length; i++) {
    visit(l, &f->loads.data[i].place);
    for (size_t j = 0; j < f->loads.data[i].stores.length; j++)
      visit(l, &f->loads.data[i].stores.data[j].place);
  }
  for (size_t i = 0; i < f->turns.length; i++) {
    visit(l, &f->turns.data[i].place);
    for (size_t j = 0; j < f->turns.data[i].stack.length; j++)
      visit(l, &f->turns.data[i].stack.data[j]);
  }
  for (size_t i = 0; i < f->parts.length; i++) {
    visit(l, &f->parts.data[i].place);
    for (size_t j = 0; j < f->parts.data[i].stack.length; j++)
      visit(l, &f->parts.data[i].stack.data[j]);
  }
  for (size_t i = 0; i < f->windows.length; i++) {
    visit(l, &f->windows.data[i].after);
    visit(l, &f->windows.data[i].before);
  }
}

static void note_object(struct locator *l, struct place *p) {
  if (p->object)
    locator_add_object(l, p->object);
}

static void resolve_finding(struct symbols *s, struct locator *l, struct finding *f) {
  visit_places(f, l, note_object);
  symbols_resolve(s, &f->place);
  symbols_resolve(s, &f->fix_place);
  expand_stack(s, &f->stack);
  complete_from_stack(f);
  complete_stack(&f->stack, &f->place);
  for (size_t i = 0; i < f->failures.length; i++) {
    symbols_resolve(s, &f->failures.data[i].place);
    expand_stack(s, &f->failures.data[i].stack);
    expand_stack(s, &f->failures.data[i].own);
    for (size_t j = 0; j < f->failures.data[i].stands.length; j++)
      symbols_resolve(s, &f->failures.data[i].stands.data[j].place);
  }
  for (size_t i = 0; i < f->loads.length; i++) {
    struct finding_load *load = &f->loads.data[i];
    symbols_resolve(s, &load->place);
    for (size_t j = 0; j < load->stores.length; j++)
      symbols_resolve(s, &load->stores.data[j].place);
  }
  for (size_t i = 0; i < f->turns.length; i++) {
    symbols_resolve(s, &f->turns.data[i].place);
    expand_stack(s, &f->turns.data[i].stack);
  }
  for (size_t i = 0; i < f->parts.length; i++) {
    symbols_resolve(s, &f->parts.data[i].place);
    expand_stack(s, &f->parts.data[i].stack);
    complete_stack(&f->parts.data[i].stack, &f->parts.data[i].place);
  }
  for (size_t i = 0; i < f->windows.length; i++) {
    symbols_resolve(s, &f->windows.data[i].after);
    symbols_resolve(s, &f->windows.data[i].before);
  }
  for (size_t i = 0; i < f->variables.length; i++) {
    struct finding_variable *v = &f->variables.data[i];
    v->name = symbols_variable(s, v->object, v->offset);
  }
  visit_places(f, l, locator_resolve);
  for (size_t i = 0; i < f->turns.length; i++)
    move_to_call(&f->turns.data[i]);
  pool_explain(f);
}

static void name_fields(struct report *r, struct symbols *s) {
  for (size_t i = 0; i < r->results->findings.length; i++)
    fields_name(&r->results->findings.data[i], r->sources, s, r->run->program);
}

static int compare_texts(const char *a, const char *b) {
  return strcmp(a ? a : "", b ? b : "");
}

static int compare_findings(const void *left, const void *right) {
  const struct finding *a = left, *b = right;
  const struct place *pa = finding_place(a), *pb = finding_place(b);
  int c = finding_is_wrong(b) - finding_is_wrong(a);
  if (c == 0) /* usually several, and the same in all programs */
    c = pool_concerns(a) - pool_concerns(b);
  if (c == 0)
    c = !pa->file - !pb->file; /* places without a file come last */
  if (c == 0)
    c = compare_texts(pa->file, pb->file);
  if (c == 0)
    c = (pa->line > pb->line) - (pa->line < pb->line);
  if (c == 0)
    c = (int)a->kind - (int)b->kind;
  if (c == 0)
    c = (pa->column > pb->column) - (pa->column < pb->column);
  if (c == 0)
    c = compare_texts(a->message, b->message);
  return c ? c : compare_texts(a->token, b->token);
}

static int compare_outcomes(const void *left, const void *right) {
  const struct outcome *a = left, *b = right;
  return compare_texts(a->text, b->text);
}

static void resolve_error(struct symbols *s, struct locator *l, place_list *stack) {
  for (size_t i = 0; i < stack->length; i++)
    note_object(l, &stack->data[i]);
  expand_stack(s, stack);
  for (size_t i = 0; i < stack->length; i++)
    locator_resolve(l, &stack->data[i]);
}

void report_prepare(struct report *r) {
  struct results *x = r->results;
  r->sources = sources_create(r->run->directory);
  struct symbols *s = symbols_create();
  struct locator *l = locator_create(s, r->run->directory);
  if ((x->findings.length || x->error_stack.length) && r->run->program)
    locator_add_object(l, r->run->program);
  for (size_t i = 0; i < x->findings.length; i++)
    resolve_finding(s, l, &x->findings.data[i]);
  name_fields(r, s);
  resolve_error(s, l, &x->error_stack);
  for (size_t i = 0; i < x->fences.length; i++)
    locator_resolve(l, &x->fences.data[i]);
  struct str notes[3] = {0};
  foreign_note(r, s, &notes[0]);
  age_notes(r, s, &notes[1], &notes[2]);
  for (int i = 0; i < 3; i++) {
    if (notes[i].length)
      vec_push(&r->notes, mem_strdup(str_text(&notes[i])));
    str_free(&notes[i]);
  }
  locator_free(l);
  symbols_free(s);
  callers_merge(x);
  if (x->findings.length)
    qsort(x->findings.data, x->findings.length, sizeof *x->findings.data, compare_findings);
  callers_merge_races(x);
  callers_merge_stores(x);
  if (x->outcomes.length)
    qsort(x->outcomes.data, x->outcomes.length, sizeof *x->outcomes.data, compare_outcomes);
}
