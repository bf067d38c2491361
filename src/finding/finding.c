#include "finding/finding.h"
#include "base/bigint.h"
#include <string.h>

static const char *const kind_texts[] = {
#define FINDING(name, text) text,
#include "finding/finding.def"
#undef FINDING
};

const char *finding_kind_text(int kind) {
  return kind >= 0 && kind < FINDING_KINDS ? kind_texts[kind] : "unknown";
}

int finding_kind_parse(const char *text) {
  for (int k = 0; k < FINDING_KINDS; k++)
    if (strcmp(kind_texts[k], text) == 0)
      return k;
  return -1;
}

bool finding_kind_is_of_all(int kind) {
  return kind == FINDING_REDUNDANT_FLUSH || kind == FINDING_REDUNDANT_FENCE;
}

static const char *const role_texts[] = {
#define ROLE(name, text) text,
    FINDING_ROLES(ROLE)
#undef ROLE
};

const char *finding_role_text(int role) {
  return role >= 0 && role < FINDING_ROLE_COUNT ? role_texts[role] : "unknown";
}

int finding_role_parse(const char *text) {
  for (int r = 0; r < FINDING_ROLE_COUNT; r++)
    if (strcmp(role_texts[r], text) == 0)
      return r;
  return -1;
}

static void text_free(char *text) {
  if (text)
    mem_free(text, strlen(text) + 1);
}

static char *text_copy(const char *text) {
  return text ? mem_strdup(text) : NULL;
}

struct place place_copy(const struct place *p) {
  struct place new = *p;
  new.file = text_copy(p->file);
  new.function = text_copy(p->function);
  new.object = text_copy(p->object);
  return new;
}

void place_free(struct place *p) {
  text_free(p->file);
  text_free(p->function);
  text_free(p->object);
}

static void places_free(place_list *list) {
  for (size_t i = 0; i < list->length; i++)
    place_free(&list->data[i]);
  vec_free(list);
}

void finding_case_free(struct finding_case *c) {
  for (size_t i = 0; i < c->remedies.length; i++)
    text_free(c->remedies.data[i]);
  vec_free(&c->remedies);
  text_free(c->text);
  place_free(&c->place);
  place_free(&c->window.after);
  place_free(&c->window.before);
}

char *finding_total(uint64_t *count, const struct bigint *more) {
  struct bigint sum = {0};
  struct str text = {0};
  char *digits = NULL;
  uint64_t value;
  bigint_add(&sum, more);
  bigint_add_number(&sum, *count);
  if (bigint_small(&sum, &value) && value <= FINDING_COUNT_MAX) {
    *count = value;
  } else {
    bigint_format(&sum, &text);
    digits = mem_strdup(str_text(&text));
    *count = FINDING_COUNT_MAX;
  }
  bigint_free(&sum);
  str_free(&text);
  return digits;
}

static void turn_free(struct finding_turn *t) {
  text_free(t->what);
  text_free(t->call);
  place_free(&t->place);
  places_free(&t->stack);
}

static void window_free(struct finding_window *w) {
  place_free(&w->after);
  place_free(&w->before);
}

void finding_free(struct finding *f) {
  for (size_t i = 0; i < f->prevention.cases.length; i++)
    finding_case_free(&f->prevention.cases.data[i]);
  vec_free(&f->prevention.cases);
  text_free(f->identity);
  text_free(f->count_text);
  text_free(f->message);
  text_free(f->said);
  text_free(f->token);
  text_free(f->fix);
  place_free(&f->place);
  place_free(&f->fix_place);
  places_free(&f->stack);
  for (size_t i = 0; i < f->variables.length; i++) {
    text_free(f->variables.data[i].object);
    text_free(f->variables.data[i].name);
  }
  vec_free(&f->variables);
  for (size_t i = 0; i < f->failures.length; i++) {
    text_free(f->failures.data[i].before);
    place_free(&f->failures.data[i].place);
    places_free(&f->failures.data[i].stack);
    places_free(&f->failures.data[i].own);
    for (size_t j = 0; j < f->failures.data[i].stands.length; j++)
      turn_free(&f->failures.data[i].stands.data[j]);
    vec_free(&f->failures.data[i].stands);
  }
  for (size_t i = 0; i < f->loads.length; i++) {
    struct finding_load *l = &f->loads.data[i];
    place_free(&l->place);
    text_free(l->region);
    for (size_t j = 0; j < l->stores.length; j++)
      place_free(&l->stores.data[j].place);
    vec_free(&l->stores);
  }
  for (size_t i = 0; i < f->turns.length; i++)
    turn_free(&f->turns.data[i]);
  for (size_t i = 0; i < f->parts.length; i++) {
    text_free(f->parts.data[i].region);
    text_free(f->parts.data[i].field);
    text_free(f->parts.data[i].type);
    place_free(&f->parts.data[i].place);
    places_free(&f->parts.data[i].stack);
  }
  for (size_t i = 0; i < f->windows.length; i++)
    window_free(&f->windows.data[i]);
  for (size_t i = 0; i < f->further.length; i++)
    window_free(&f->further.data[i]);
  vec_free(&f->parts);
  vec_free(&f->windows);
  vec_free(&f->further);
  vec_free(&f->turns);
  vec_free(&f->failures);
  vec_free(&f->loads);
}

void results_free(struct results *r) {
  for (size_t i = 0; i < r->findings.length; i++)
    finding_free(&r->findings.data[i]);
  for (size_t i = 0; i < r->outcomes.length; i++) {
    text_free(r->outcomes.data[i].text);
    text_free(r->outcomes.data[i].count_text);
  }
  for (size_t i = 0; i < r->notes.length; i++)
    text_free(r->notes.data[i]);
  places_free(&r->error_stack);
  places_free(&r->fences);
  vec_free(&r->notes);
  text_free(r->incomplete_why);
  text_free(r->error);
  text_free(r->eager_states);
  text_free(r->executions_text);
  text_free(r->foreign);
  vec_free(&r->findings);
  vec_free(&r->outcomes);
  *r = (struct results){0};
}
