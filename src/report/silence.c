#include "report/silence.h"
#include "base/mem.h"
#include "report/locate.h"
#include <string.h>

#define UNUSED_MAX 10 /* notes; a long list of them hides the others */

/* The finding leaves the results. */
static void silence(struct report *r, struct finding *f, const struct str *by, bool baseline) {
  struct silenced x = {.finding = *f, .by = mem_strdup(str_text(by)), .baseline = baseline};
  vec_push(&r->silenced, x);
}

void report_silence(struct report *r, struct suppressions *s, struct baseline *b) {
  struct results *x = r->results;
  size_t count = x->findings.length, kept = 0;
  bool *known = mem_alloc(count + 1);
  r->suppressions = s;
  r->baseline = b;
  if (b)
    baseline_match(b, x->findings.data, count, known);
  for (size_t i = 0; i < count; i++) {
    struct finding *f = &x->findings.data[i];
    struct suppression *by = s ? suppressions_find(s, f) : NULL;
    struct str text = {0};
    if (by) {
      by->used++;
      str_format(&text, "%s:%d", s->path, by->number);
      silence(r, f, &text, false);
    } else if (b && known[i]) {
      str_append(&text, b->path);
      silence(r, f, &text, true);
    } else {
      x->findings.data[kept++] = *f;
    }
    str_free(&text);
  }
  x->findings.length = kept;
  mem_free(known, count + 1);
}

/* ---- beforehand ---- */

static struct place resolved(struct symbols *s, struct locator *l, const struct place *p) {
  struct place new = place_copy(p);
  if (new.object)
    locator_add_object(l, new.object);
  symbols_resolve(s, &new);
  locator_resolve(l, &new);
  return new;
}

/* What suppressions and fingerprints look at, as report_prepare makes it.  Borrows the message. */
static struct finding sketch(struct symbols *s, struct locator *l, const struct finding *f) {
  struct finding new = {.kind = f->kind, .message = f->message};
  new.place = resolved(s, l, &f->place);
  for (size_t i = 0; i < f->parts.length; i++) {
    struct finding_part part = {.role = f->parts.data[i].role,
                                .region_offset = f->parts.data[i].region_offset};
    part.place = resolved(s, l, &f->parts.data[i].place);
    vec_push(&new.parts, part);
  }
  return new;
}

static void free_sketch(struct finding *f) {
  f->message = NULL;
  finding_free(f);
}

/* Could the call stack say more about where it is? */
static bool is_settled(const struct finding *f) {
  return place_is_users_code(&f->place) && f->place.column;
}

static void foresee(const struct finding *sketches, size_t count, struct suppressions *s,
                    struct baseline *b, bool *silenced) {
  if (b)
    baseline_match(b, sketches, count, silenced);
  for (size_t i = 0; b && i < b->list.length; i++)
    b->list.data[i].matched = false;
  for (size_t i = 0; i < count; i++)
    silenced[i] = is_settled(&sketches[i]) &&
                  (silenced[i] || (s && suppressions_find(s, &sketches[i]) != NULL));
}

void silence_foresee(const struct run *run, const struct results *x, struct suppressions *s,
                     struct baseline *b, bool *silenced) {
  VEC(struct finding) sketches = {0};
  for (size_t i = 0; i < x->findings.length; i++)
    silenced[i] = false;
  if ((!s && !b) || !x->findings.length)
    return;
  struct symbols *symbols = symbols_create();
  struct locator *l = locator_create(symbols, run->directory);
  if (run->program)
    locator_add_object(l, run->program);
  for (size_t i = 0; i < x->findings.length; i++)
    vec_push(&sketches, sketch(symbols, l, &x->findings.data[i]));
  locator_free(l);
  symbols_free(symbols);
  foresee(sketches.data, sketches.length, s, b, silenced);
  for (size_t i = 0; i < sketches.length; i++)
    free_sketch(&sketches.data[i]);
  vec_free(&sketches);
}

/* ---- in words ---- */

static size_t count_silenced(const struct report *r, bool baseline) {
  size_t n = 0;
  for (size_t i = 0; i < r->silenced.length; i++)
    n += r->silenced.data[i].baseline == baseline;
  return n;
}

void silence_text(const struct report *r, struct str *out) {
  size_t n = r->silenced.length, old = count_silenced(r, true);
  if (!n)
    return;
  str_format(out, "%zu finding%s silenced (", n, n == 1 ? " is" : "s are");
  if (n > old)
    str_format(out, "%zu by %s", n - old, r->suppressions->path);
  if (old)
    str_format(out, "%s%zu by %s", n > old ? ", " : "", old, r->baseline->path);
  str_append(out, ")");
}

static void add_note(struct report *r, struct str *text) {
  vec_push(&r->notes, mem_strdup(str_text(text)));
  str_free(text);
}

static void note_unused(struct report *r, const struct suppressions *s) {
  size_t unused = 0;
  for (size_t i = 0; i < s->list.length; i++) {
    const struct suppression *x = &s->list.data[i];
    struct str text = {0};
    if (x->used || ++unused > UNUSED_MAX)
      continue;
    str_format(&text, "%s:%d: no finding fits '%s' any more", s->path, x->number, x->text);
    add_note(r, &text);
  }
  if (unused > UNUSED_MAX) {
    struct str text = {0};
    str_format(&text, "%s: no finding fits %zu other lines", s->path, unused - UNUSED_MAX);
    add_note(r, &text);
  }
}

static void note_gone(struct report *r, const struct baseline *b) {
  size_t gone = 0;
  struct str text = {0};
  for (size_t i = 0; i < b->list.length; i++)
    gone += !b->list.data[i].matched;
  if (!gone)
    return;
  str_format(&text, "%zu finding%s of %s did not appear again", gone, gone == 1 ? "" : "s",
             b->path);
  add_note(r, &text);
}

void silence_note(struct report *r) {
  if (!r->results->complete)
    return;
  if (r->suppressions)
    note_unused(r, r->suppressions);
  if (r->baseline)
    note_gone(r, r->baseline);
}
