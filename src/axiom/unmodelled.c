#include "axiom/unmodelled.h"
#include <string.h>

/* Whether a set that the model uses has the action in it; sets of everything do not count. */
static bool in_some_set(const struct model_encoding *m, int action) {
  static const char *const everything[] = {"#_", "#Exp"};
  for (int x = 0; x < m->scopes.length; x++)
    for (const struct env *e = m->scopes.data[x]; e; e = e->next) {
      bool any = false;
      for (unsigned i = 0; i < sizeof everything / sizeof *everything; i++)
        any = any || !strcmp(e->name, everything[i]);
      if (e->name[0] == '#' && !any && e->value.kind == VALUE_SET &&
          e->value.cells[action] != LIT_FALSE)
        return true;
    }
  return false;
}

static bool has_meaning(const struct model_encoding *m, int action) {
  const struct action *a = &m->encoder->universe->actions.data[action];
  if (m->encoder->program->stmts.data[a->stmt].access && !model_mentions(m, "sm") &&
      !model_mentions(m, "si") && !model_mentions(m, "same-instance"))
    return false;
  switch (a->kind) {
  case STMT_FENCE:
  case STMT_FLUSH:
    return in_some_set(m, action);
  case STMT_LOCK:
  case STMT_UNLOCK:
    return in_some_set(m, action) || model_mentions(m, "crit");
  case STMT_READ: /* of a read-modify-write */
    return !a->atomic || m->encoder->program->stmts.data[a->stmt].partner < 0 ||
           model_mentions(m, "rmw") || model_mentions(m, "amo");
  default:
    return true;
  }
}

/* The same instruction is worth one warning, however often it occurs. */
static bool said_before(const struct check_result *r, const char *instruction) {
  const char *quoted;
  for (int i = 0; i < r->warnings.length; i++)
    if ((quoted = strchr(r->warnings.data[i], '\'')) &&
        !strncmp(quoted + 1, instruction, strlen(instruction)) &&
        quoted[1 + strlen(instruction)] == '\'')
      return true;
  return false;
}

bool unmodelled_atomicity(const struct model_encoding *m) {
  return !model_mentions(m, "rmw") && !model_mentions(m, "amo") && !model_mentions(m, "lxsx");
}

/* The first statement whose meaning needs a relation that the model does not use, and what to say. */
static const char *unusable(const struct model_encoding *m, const struct stmt *s) {
  bool parts =
      model_mentions(m, "sm") || model_mentions(m, "si") || model_mentions(m, "same-instance");
  if (s->access != 0 && !parts)
    return "'%s' overlaps an access of another size, and the model '%s' does not say that its "
           "parts "
           "belong together (it uses none of sm, si and same-instance)";
  if (s->kind == STMT_READ && s->partner >= 0 && unmodelled_atomicity(m) &&
      strncmp(m->encoder->program->arch, "X86", 3) != 0)
    return "'%s' would not be atomic: the model '%s' takes read-modify-writes for single events "
           "(it "
           "uses none of rmw, amo and lxsx), here they are a read and a write";
  return NULL;
}

bool unmodelled_find(const struct model_encoding *m, struct check_result *r, struct diag *d) {
  const char *title = m->model->title && *m->model->title ? m->model->title : m->model->file;
  const struct universe *u = m->encoder->universe;
  for (int a = 0; a < u->actions.length; a++) {
    const struct stmt *s = &m->encoder->program->stmts.data[u->actions.data[a].stmt];
    const char *why = unusable(m, s);
    if (why) {
      diag_set(d, s->place, why, s->text, title);
      return false;
    }
    if (has_meaning(m, a))
      continue;
    if (s->kind == STMT_LOCK || s->kind == STMT_UNLOCK) {
      diag_set(d, s->place, "'%s' would have no effect: the model '%s' says nothing about locks",
               s->text, title);
      return false;
    }
    if (s->access) {
      diag_set(d, s->place,
               "'%s' overlaps an access of another size, and the model '%s' does not say that its "
               "parts belong together (it uses none of sm, si and same-instance)",
               s->text, title);
      return false;
    }
    if (said_before(r, s->text))
      continue;
    list_push(m->space.arena, &r->warnings,
              arena_format(m->space.arena, "line %d: '%s': the model '%s' says nothing about %s",
                           s->place.line, s->text, title,
                           s->kind == STMT_READ ? "atomicity; it is a read and a write"
                                                : "it; it has no effect"));
  }
  return true;
}
