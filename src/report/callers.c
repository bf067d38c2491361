#include "report/callers.h"
#include "report/report.h"
#include <string.h>

#define CALLERS 3 /* lines of the stack by which places are told apart */

static bool same_text(const char *a, const char *b) {
  return strcmp(a ? a : "", b ? b : "") == 0;
}

/* What can be changed: functions made of one template have it in common. */
static bool same_source(const struct place *a, const struct place *b) {
  return a->line == b->line && a->column == b->column && same_text(a->file, b->file) &&
         (a->file || same_text(a->function, b->function));
}

static bool same_place(const struct place *a, const struct place *b) {
  return same_source(a, b) && same_text(a->function, b->function);
}

static bool is_merged(const struct finding *f) {
  return finding_kind_is_of_all(f->kind);
}

static bool same_callers(const struct finding *a, const struct finding *b) {
  if (a->kind != b->kind || !same_source(&a->place, &b->place) ||
      a->stack.length != b->stack.length)
    return false;
  for (size_t i = 0; i < a->stack.length; i++)
    if (!same_source(&a->stack.data[i], &b->stack.data[i]))
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

/* Does its stack say how the program came to its place?  Not where the compiler has made one instruction of several. */
static bool knows_callers(const struct finding *f) {
  return f->stack.length && same_source(&f->stack.data[0], &f->place);
}

/* Is something in that many innermost frames of it, at the same place, of use to others? */
static bool used_by_others(const struct results *r, const struct finding *f, size_t frames) {
  for (size_t i = 0; i < r->findings.length; i++) {
    const struct finding *x = &r->findings.data[i];
    bool same = x->refutes && x->kind == f->kind && same_source(&x->place, &f->place);
    for (size_t j = 0; same && j < frames && knows_callers(x) && knows_callers(f); j++)
      same = j < x->stack.length && same_source(&x->stack.data[j], &f->stack.data[j]);
    if (same)
      return true;
  }
  return false;
}

/* So many innermost frames tell it from those that are of use; 0: nobody at its place needs it.  More than it has: what
 * is known of its callers does not tell. */
static size_t frames_needed(const struct results *r, const struct finding *f) {
  size_t frames = 0;
  while (frames <= f->stack.length && used_by_others(r, f, frames))
    frames++;
  return frames;
}

/* Callers that say nothing are left out.  Of a helper that others need the line to change is the call. */
static void describe_by_callers(struct finding *f, size_t frames) {
  f->refutes = frames > f->stack.length;
  if (f->refutes)
    return;
  f->stack.length = frames;
  if (frames < 2)
    return;
  f->place = place_copy(&f->stack.data[frames - 1]);
  f->fix_place = place_copy(&f->stack.data[frames - 1]);
  if (same_text(f->fix, "remove it")) {
    mem_free(f->fix, strlen(f->fix) + 1);
    f->fix = mem_strdup("remove it where it is called from here; other callers need it");
  }
}

static void describe_all_by_callers(struct results *r) {
  VEC(size_t) frames = {0}; /* all are found before the first one changes */
  for (size_t i = 0; i < r->findings.length; i++)
    vec_push(&frames, frames_needed(r, &r->findings.data[i]));
  for (size_t i = 0; i < r->findings.length; i++)
    if (is_merged(&r->findings.data[i]) && !r->findings.data[i].refutes)
      describe_by_callers(&r->findings.data[i], frames.data[i]);
  vec_free(&frames);
}

static void merge_same(struct results *r) {
  size_t kept = 0;
  for (size_t i = 0; i < r->findings.length; i++) {
    struct finding f = r->findings.data[i];
    size_t at = kept;
    for (size_t j = 0; is_merged(&f) && j < kept; j++)
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
}

static void drop_refuted(struct results *r) {
  size_t kept = 0;
  for (size_t i = 0; i < r->findings.length; i++)
    if (!r->findings.data[i].refutes)
      r->findings.data[kept++] = r->findings.data[i];
    else
      finding_free(&r->findings.data[i]);
  r->findings.length = kept;
}

/* ---- data races inside a library ---- */

/* The other access, if one of the two is not in the user's code but was called from there. */
static const struct place *other_of_calls(const struct finding *f) {
  if (f->kind != FINDING_DATA_RACE || f->parts.length != 2)
    return NULL;
  const struct finding_part *other = &f->parts.data[f->parts.data[0].role != FINDING_ROLE_FIRST];
  const struct place *at = part_place(other);
  return finding_place(f) != &f->place || at != &other->place ? at : NULL;
}

static bool same_calls(const struct finding *a, const struct finding *b) {
  const struct place *x = other_of_calls(a), *y = other_of_calls(b);
  if (!x || !y)
    return false;
  return (same_place(finding_place(a), finding_place(b)) && same_place(x, y)) ||
         (same_place(finding_place(a), y) && same_place(x, finding_place(b)));
}

/* Of several that are one the first stays; it is seen at least as often as each. */
static void merge_into_first(struct results *r,
                             bool (*same)(const struct finding *, const struct finding *),
                             void (*join)(struct finding *, struct finding *)) {
  size_t kept = 0;
  for (size_t i = 0; i < r->findings.length; i++) {
    struct finding f = r->findings.data[i];
    size_t at = 0;
    while (at < kept && !same(&r->findings.data[at], &f))
      at++;
    if (at == kept) {
      r->findings.data[kept++] = f;
      continue;
    }
    if (f.count > r->findings.data[at].count)
      r->findings.data[at].count = f.count;
    if (join)
      join(&r->findings.data[at], &f);
    finding_free(&f);
  }
  r->findings.length = kept;
}

/* Two calls of a container race in many places of it: one finding. */
void callers_merge_races(struct results *r) {
  merge_into_first(r, same_calls, NULL);
}

/* ---- several stores of one line ---- */

static bool same_line(const struct place *a, const struct place *b) {
  return a->file && b->file && a->line == b->line && strcmp(a->file, b->file) == 0;
}

static const struct place *load_of(const struct finding *f) {
  for (size_t i = 0; i < f->parts.length; i++)
    if (f->parts.data[i].role == FINDING_ROLE_MISSED)
      return &f->parts.data[i].place;
  return NULL;
}

static bool same_lines(const struct finding *a, const struct finding *b) {
  const struct place *x = load_of(a), *y = load_of(b);
  return a->kind == FINDING_ROBUSTNESS && b->kind == FINDING_ROBUSTNESS && x && y &&
         same_line(&a->place, &b->place) && same_line(x, y);
}

static bool has_window(const struct finding *f, const struct finding_window *w) {
  for (size_t i = 0; i < f->further.length; i++)
    if (same_place(&f->further.data[i].after, &w->after))
      return true;
  return f->windows.length && same_place(&f->windows.data[0].after, &w->after);
}

static void add_further(struct finding *to, struct finding *from) {
  if (!from->windows.length || has_window(to, &from->windows.data[0]))
    return;
  struct finding_window w = from->windows.data[0];
  w.after = place_copy(&w.after);
  w.before = place_copy(&w.before);
  w.lost_offset = same_text(from->parts.data[0].region, to->parts.data[0].region)
                      ? from->parts.data[0].region_offset
                      : UINT64_MAX;
  vec_push(&to->further, w);
}

void callers_merge_stores(struct results *r) {
  merge_into_first(r, same_lines, add_further);
}

void callers_merge(struct results *r) {
  for (size_t i = 0; i < r->findings.length; i++)
    if (is_merged(&r->findings.data[i]))
      cut_stack(&r->findings.data[i]);
  merge_same(r);
  describe_all_by_callers(r);
  drop_refuted(r);
  merge_same(r);
}
