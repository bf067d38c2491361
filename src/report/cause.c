#include "report/cause.h"
#include <string.h>

#define SHORT_TOKEN 60

static bool same_text(const char *a, const char *b) {
  return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_place(const struct place *a, const struct place *b) {
  return a->line > 0 && a->line == b->line && a->column == b->column &&
         same_text(a->file, b->file) && same_text(a->function, b->function);
}

static bool is_about_a_store(const struct finding *f) {
  return f->parts.length > 0 &&
         (f->kind == FINDING_ROBUSTNESS || f->kind == FINDING_PERSISTENCY_RACE);
}

static bool is_same(const struct finding *a, const struct finding *b) {
  return a->kind == b->kind && same_place(&a->place, &b->place) && same_text(a->fix, b->fix) &&
         same_place(&a->fix_place, &b->fix_place);
}

size_t cause_of(const struct report *r, size_t i) {
  const struct finding *all = r->results->findings.data;
  for (size_t first = 0; first < i && is_about_a_store(&all[i]); first++)
    if (is_same(&all[first], &all[i]))
      return first;
  return i;
}

static const struct finding_part *part_of(const struct finding *f, enum finding_role role) {
  for (size_t i = 0; i < f->parts.length; i++)
    if (f->parts.data[i].role == role)
      return &f->parts.data[i];
  return NULL;
}

static void put_at(const char *what, const struct finding_part *p, struct str *out) {
  str_format(out, "the %s at ", what);
  place_text(&p->place, false, out);
  if (!p->place.function)
    return;
  str_append(out, " in ");
  function_text(p->place.function, out);
}

static void put_load(const struct finding *f, struct str *out) {
  const struct finding_part *missed = part_of(f, FINDING_ROLE_MISSED),
                            *survived = part_of(f, FINDING_ROLE_SURVIVED),
                            *read = part_of(f, FINDING_ROLE_READ);
  if (f->kind == FINDING_PERSISTENCY_RACE && read) {
    put_at("load", read, out);
    str_append(out, " reads it, too");
  } else if (missed && survived) {
    put_at("load", missed, out);
    str_append(out, " does not see it either, although ");
    put_at("store", survived, out);
    str_append(out, " survives");
  }
}

void cause_text(const struct report *r, size_t i, struct str *out) {
  const struct finding *f = &r->results->findings.data[i];
  const char *token = finding_token(f);
  put_load(f, out);
  if (r->replay)
    return;
  str_append(out, " (");
  total_text(f->count, f->count_text, out);
  str_append(out, f->count == 1 ? " execution" : " executions");
  if (r->json_path)
    str_format(out, ", --finding=%zu", i + 1);
  else if (token && strlen(token) <= SHORT_TOKEN) {
    str_append(out, ", --token=");
    shell_quote(token, out);
  }
  str_append(out, ")");
}
