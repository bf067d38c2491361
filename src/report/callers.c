#include "report/callers.h"
#include <string.h>

#define CALLERS 3 /* lines of the stack by which places are told apart */

static bool same_text(const char *a, const char *b) {
  return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool same_place(const struct place *a, const struct place *b) {
  return a->line == b->line && a->column == b->column && same_text(a->file, b->file) &&
         same_text(a->function, b->function);
}

static bool same_callers(const struct finding *a, const struct finding *b) {
  if (a->kind != b->kind || !same_place(&a->place, &b->place) || a->stack.length != b->stack.length)
    return false;
  for (size_t i = 0; i < a->stack.length; i++)
    if (!same_place(&a->stack.data[i], &b->stack.data[i]))
      return false;
  return true;
}

/* Only frames with a source position say something, and only the innermost are compared. */
static void cut_stack(struct finding *f) {
  size_t n = 0;
  while (n < f->stack.length && n < CALLERS && f->stack.data[n].file)
    n++;
  f->stack.length = n;
}

/* Is something in that many innermost frames of it, at the same place, of use to others? */
static bool used_by_others(const struct results *r, const struct finding *f, size_t frames) {
  for (size_t i = 0; i < r->findings.length; i++) {
    const struct finding *x = &r->findings.data[i];
    bool same = x->refutes && x->kind == f->kind && same_place(&x->place, &f->place);
    for (size_t j = 0; same && j < frames; j++)
      same = j < x->stack.length && same_place(&x->stack.data[j], &f->stack.data[j]);
    if (same)
      return true;
  }
  return false;
}

static char *copy(const char *text) {
  return text ? mem_strdup(text) : NULL;
}

static struct place copy_of(const struct place *p) {
  struct place new = *p;
  new.file = copy(p->file);
  new.function = copy(p->function);
  new.object = copy(p->object);
  return new;
}

/* A helper that others need: the line to change is the call. */
static void move_to_caller(const struct results *r, struct finding *f, struct place *to) {
  size_t frames = 1;
  while (frames < f->stack.length && used_by_others(r, f, frames))
    frames++;
  *to = frames > 1 ? copy_of(&f->stack.data[frames - 1]) : (struct place){0};
}

static void move_all_to_callers(struct results *r) {
  VEC(struct place) moved = {0}; /* all are found before the first one moves */
  struct place none = {0};
  for (size_t i = 0; i < r->findings.length; i++) {
    struct finding *f = &r->findings.data[i];
    vec_push(&moved, none);
    if (finding_kind_is_of_all(f->kind) && !f->refutes)
      move_to_caller(r, f, &vec_last(&moved));
  }
  for (size_t i = 0; i < r->findings.length; i++) {
    struct finding *f = &r->findings.data[i];
    if (!moved.data[i].file)
      continue;
    f->place = moved.data[i];
    f->fix_place = copy_of(&moved.data[i]);
  }
  vec_free(&moved);
}

void callers_merge(struct results *r) {
  size_t kept = 0;
  for (size_t i = 0; i < r->findings.length; i++)
    if (finding_kind_is_of_all(r->findings.data[i].kind))
      cut_stack(&r->findings.data[i]);
  for (size_t i = 0; i < r->findings.length; i++) {
    struct finding f = r->findings.data[i];
    size_t at = kept;
    for (size_t j = 0; finding_kind_is_of_all(f.kind) && j < kept; j++)
      if (same_callers(&r->findings.data[j], &f))
        at = j;
    if (at == kept) {
      r->findings.data[kept++] = f;
      continue;
    }
    r->findings.data[at].count += f.count;
    r->findings.data[at].refutes |= f.refutes;
    finding_free(&f);
  }
  r->findings.length = kept;
  move_all_to_callers(r);
  kept = 0;
  for (size_t i = 0; i < r->findings.length; i++)
    if (!r->findings.data[i].refutes)
      r->findings.data[kept++] = r->findings.data[i];
    else
      finding_free(&r->findings.data[i]);
  r->findings.length = kept;
}
