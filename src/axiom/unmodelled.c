#include "axiom/unmodelled.h"
#include <string.h>

enum { NAMES_MAX = 4 };

struct subject {
  const char *what;             /* in the message */
  const char *names[NAMES_MAX]; /* any of them gives it a meaning */
  bool (*is)(const struct stmt *s);
};

static bool is_lock(const struct stmt *s) {
  return s->kind == STMT_LOCK || s->kind == STMT_UNLOCK;
}

static bool is_exchange(const struct stmt *s) {
  return s->kind == STMT_READ && s->atomic && s->partner >= 0;
}

static bool is_piece(const struct stmt *s) {
  return s->access != 0;
}

#define FLAVOUR_TEST(name, flavour_is) \
  static bool name(const struct stmt *s) { \
    return s->flavour == (flavour_is); \
  }
FLAVOUR_TEST(is_mfence, FLAVOUR_MFENCE)
FLAVOUR_TEST(is_sfence, FLAVOUR_SFENCE)
FLAVOUR_TEST(is_lfence, FLAVOUR_LFENCE)
FLAVOUR_TEST(is_clflush, FLAVOUR_CLFLUSH)
FLAVOUR_TEST(is_clflushopt, FLAVOUR_CLFLUSHOPT)
FLAVOUR_TEST(is_clwb, FLAVOUR_CLWB)
#undef FLAVOUR_TEST

static const struct subject lock = {"locks", {"Lock", "Unlock", "crit"}, is_lock};

static const struct subject piece = {
    "accesses of mixed size", {"sm", "si", "same-instance"}, is_piece};

static bool is_pair(const struct stmt *s) {
  return s->kind == STMT_READ && s->partner >= 0;
}

static const struct subject pair = {"atomicity", {"rmw", "amo", "lxsx"}, is_pair};

static const struct subject subjects[] = {
    {"mfence", {"MFENCE", "F"}, is_mfence},        {"sfence", {"SFENCE", "F"}, is_sfence},
    {"lfence", {"LFENCE", "F"}, is_lfence},        {"clflush", {"ClFlush"}, is_clflush},
    {"clflushopt", {"ClFlushOpt"}, is_clflushopt}, {"clwb", {"ClWb"}, is_clwb},
    {"atomicity", {"rmw", "amo"}, is_exchange},
};

static const struct stmt *first_of(const struct program *p, const struct subject *x) {
  for (int s = 0; s < p->stmts.length; s++)
    if (x->is(&p->stmts.data[s]))
      return &p->stmts.data[s];
  return NULL;
}

/* The first statement of this kind if the model says nothing about them, else NULL. */
static const struct stmt *ignored(const struct model_encoding *m, const struct subject *x) {
  for (int i = 0; i < NAMES_MAX && x->names[i]; i++)
    if (model_mentions(m, x->names[i]))
      return NULL;
  return first_of(m->encoder->program, x);
}

static bool mentions_tag(const struct model_encoding *m, enum tag wanted) {
  enum tag tag;
  const char *name;
  for (int i = 0; (name = tag_spelling(i, &tag)); i++)
    if (tag == wanted && model_mentions(m, name))
      return true;
  return false;
}

/* A fence none of whose tags the model mentions, for each such tag once. */
static void warn_of_fences(const struct model_encoding *m, const char *title,
                           struct check_result *r) {
  struct tags seen = {{0}};
  const struct program *p = m->encoder->program;
  if (model_mentions(m, "F"))
    return;
  for (int s = 0; s < p->stmts.length; s++) {
    const struct stmt *x = &p->stmts.data[s];
    enum tag first = TAG_COUNT;
    bool has_meaning = x->kind != STMT_FENCE || x->flavour != FLAVOUR_NONE;
    for (enum tag t = 0; t < TAG_COUNT && !has_meaning; t++)
      if (tags_has(&x->tags, t)) {
        first = first == TAG_COUNT ? t : first;
        has_meaning = mentions_tag(m, t);
      }
    if (has_meaning || first == TAG_COUNT || tags_has(&seen, first))
      continue;
    tags_add(&seen, first);
    list_push(m->space.arena, &r->warnings,
              arena_format(m->space.arena,
                           "line %d: '%s': the model '%s' does not use %s, so this has no effect "
                           "here",
                           x->place.line, x->text, title, tag_name(first)));
  }
}

bool unmodelled_find(const struct model_encoding *m, struct check_result *r, struct diag *d) {
  const char *title = m->model->title ? m->model->title : m->model->file;
  const struct stmt *s = ignored(m, &lock);
  if (s) {
    diag_set(d, s->place,
             "'%s' would have no effect: the model '%s' uses none of Lock, Unlock and crit",
             s->text, title);
    return false;
  }
  if ((s = ignored(m, &piece))) {
    diag_set(d, s->place,
             "'%s' overlaps an access of another size, and the model '%s' does not say that its "
             "parts belong together (it uses none of sm, si and same-instance)",
             s->text, title);
    return false;
  }
  if ((s = ignored(m, &pair)) && strncmp(m->encoder->program->arch, "X86", 3) != 0) {
    diag_set(d, s->place,
             "'%s' would not be atomic: the model '%s' takes read-modify-writes for single events "
             "(it uses none of rmw, amo and lxsx), here they are a read and a write",
             s->text, title);
    return false;
  }
  for (unsigned i = 0; i < sizeof subjects / sizeof *subjects; i++) {
    const struct subject *x = &subjects[i];
    if ((s = ignored(m, x)))
      list_push(m->space.arena, &r->warnings,
                arena_format(m->space.arena,
                             "line %d: '%s': the model '%s' says nothing about %s (it does not use "
                             "%s), which has no effect here",
                             s->place.line, s->text, title, x->what, x->names[0]));
  }
  warn_of_fences(m, title, r);
  return true;
}
