#include "cli/cmd_litmus_report.h"
#include <stdlib.h>
#include <string.h>

const char *litmus_observation(const struct litmus_outcome *o) {
  if (!o->result.positive)
    return "Never";
  return o->result.negative ? "Sometimes" : "Always";
}

/* A value as its type has it: what a write of 32 bits has left in a register may be -1. */
static const char *typed_text(const struct program *p, const struct observed *o, int64_t value,
                              struct arena *a) {
  int bits = o->bits < 0 ? -o->bits : o->bits;
  if (program_location_at(p, value) >= 0 || !bits || bits > 64)
    return program_value_text(p, a, value);
  if (bits < 64 && value >= -((int64_t)1 << (bits - 1)) && value < (int64_t)1 << bits) {
    int64_t top = (int64_t)1 << bits;
    if (o->bits > 0 && value >= top / 2)
      value -= top;
    else if (o->bits < 0 && value < 0)
      value += top;
  }
  if (bits == 64 && o->bits < 0)
    return arena_format(a, "%llu", (unsigned long long)value);
  return program_value_text(p, a, value);
}

void litmus_state_text(const struct program *p, const int64_t *values, struct str *out) {
  struct arena a = {0};
  for (int i = 0; i < p->observed.length; i++)
    str_format(out, "%s%s=%s;", i ? " " : "", p->observed.data[i].name,
               typed_text(p, &p->observed.data[i], values[i], &a));
  arena_release(&a);
}

static int compare_states(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

char **litmus_sorted_states(const struct litmus_outcome *o, struct arena *a) {
  int n = o->result.states.length;
  char **lines = arena_alloc(a, (size_t)n * sizeof *lines + 1);
  for (int i = 0; i < n; i++) {
    struct str s = {0};
    litmus_state_text(o->program, o->result.states.data[i].values, &s);
    lines[i] = arena_text(a, str_text(&s), s.length);
    str_free(&s);
  }
  if (n > 1)
    qsort(lines, (size_t)n, sizeof *lines, compare_states);
  return lines;
}

static void print_states(const struct litmus_outcome *o, FILE *out) {
  struct arena a = {0};
  char **lines = litmus_sorted_states(o, &a);
  fprintf(out, "States %d\n", o->result.states.length);
  for (int i = 0; i < o->result.states.length; i++)
    fprintf(out, "%s\n", lines[i]);
  arena_release(&a);
}

static const char *group_title(enum group_kind kind) {
  static const char *const titles[] = {
#define X(name, title) title,
      GROUP_KINDS(X)
#undef X
  };
  return titles[kind];
}

/* Conditions and orders have no name of their own, and rules may be named by their text. */
static bool has_name(const struct core_member *m) {
  return m->kind != GROUP_CONDITION && m->kind != GROUP_ORDER && strcmp(m->name, m->text) != 0;
}

void litmus_print_core(const struct core *c, const char *file, FILE *out) {
  fprintf(out, "Core (%s, %d of %d constraints)\n", c->is_minimal ? "minimal" : "not minimised",
          c->members.length, c->candidates);
  for (int kind = 0; kind < GROUP_KIND_COUNT; kind++)
    for (int i = 0; i < c->members.length; i++) {
      const struct core_member *m = &c->members.data[i];
      if ((int)m->kind != kind)
        continue;
      fprintf(out, "  %-10s %s", group_title(m->kind), m->place.file ? m->place.file : file);
      if (m->place.line)
        fprintf(out, ":%d", m->place.line);
      fprintf(out, "  %s%s%s\n", has_name(m) ? m->name : "", has_name(m) ? ": " : "", m->text);
    }
}

static const char *action_place(const struct witness *w, int x, int action, struct arena *a) {
  const struct universe *u = w->universe;
  int stmt = w->executions[x].stmt[action]; /* the rule may be about another execution */
  const struct stmt *s = &u->program->stmts.data[stmt < 0 ? u->actions.data[action].stmt : stmt];
  return arena_format(a, s->place.line ? "%s line %d" : "%s",
                      u->program->threads.data[s->thread].name, s->place.line);
}

static void print_action(const struct witness *w, const struct violation *v, int action,
                         FILE *out) {
  struct arena a = {0};
  fprintf(out, "  %s %s (%s)\n", w->universe->actions.data[action].name,
          witness_action_text(w, v->execution, action, &a),
          action_place(w, v->execution, action, &a));
  arena_release(&a);
}

static void print_path(const struct witness *w, const struct violation *v,
                       const struct cycle_path *path, FILE *out) {
  struct arena a = {0};
  const struct action *actions = w->universe->actions.data;
  int first = path->steps.data[0].from, widest = 0;
  for (int i = 0; i < path->steps.length; i++) {
    int n = (int)strlen(path->steps.data[i].label);
    widest = n > widest ? n : widest;
  }
  fprintf(out, "  %*s %s %s (%s)\n", widest + 5, "", actions[first].name,
          witness_action_text(w, v->execution, first, &a),
          action_place(w, v->execution, first, &a));
  for (int i = 0; i < path->steps.length; i++) {
    const struct cycle_step *s = &path->steps.data[i];
    int dashes = widest - (int)strlen(s->label);
    fprintf(out, "  --%s--%.*s> %s", s->label, dashes,
            "------------------------------------------------", actions[s->to].name);
    if (s->to == first && i == path->steps.length - 1)
      fprintf(out, "\n");
    else
      fprintf(out, " %s (%s)\n", witness_action_text(w, v->execution, s->to, &a),
              action_place(w, v->execution, s->to, &a));
  }
  arena_release(&a);
}

static void print_refutations(const struct check_result *r, FILE *out) {
  for (int i = 0; i < r->refutations.length; i++) {
    const struct refutation *f = &r->refutations.data[i];
    for (int j = 0; j < f->broken.list.length; j++) {
      const struct violation *v = &f->broken.list.data[j];
      const char *what = v->members.length > 1 ? "Actions against"
                         : v->members.length   ? "Action against"
                         : !v->paths.length    ? "Broken rule"
                         : v->is_cycle         ? "Cycle against"
                                               : "Pair against";
      fprintf(out, "%s %s (%s:%d)", what, v->name, v->place.file, v->place.line);
      fprintf(out, v->execution ? " in E%d\n" : "\n", v->execution);
      for (int m = 0; m < v->members.length; m++)
        print_action(f->witness, v, v->members.data[m], out);
      for (int p = 0; p < v->paths.length; p++)
        print_path(f->witness, v, &v->paths.data[p], out);
    }
  }
}

void litmus_print_text(const struct litmus_outcome *o, const struct litmus_options *options,
                       FILE *out) {
  const struct check_result *r = &o->result;
  if (options->herd) {
    litmus_print_herd(o, out);
    return;
  }
  fprintf(out, "Test %s %s %s\n", o->program->name, o->model_name,
          r->allowed ? "Allowed" : "Forbidden");
  if (options->states && r->counted)
    print_states(o, out);
  fprintf(out, "Observation %s %s", o->program->name, litmus_observation(o));
  if (r->counted)
    fprintf(out, " %ld %ld", r->positive, r->negative);
  fputs("\n", out);
  for (int i = 0; i < r->flags.length; i++)
    fprintf(out, "Flag %s\n", r->flags.data[i]);
  for (int i = 0; i < r->warnings.length; i++)
    fprintf(out, "Warning: %s\n", r->warnings.data[i]);
  if (o->program->cut)
    fprintf(out, "Incomplete: a loop may go round more than %d times, see --unroll\n",
            options->unroll);
  if (options->time)
    fprintf(out, "Size %d variables, %lld clauses, %.4f s\n", r->variables, (long long)r->clauses,
            o->seconds);
  if (options->time && !r->witness && r->candidates_judged >= 0)
    fprintf(out, "Second opinion: all %ld candidates break a rule\n", r->candidates_judged);
  if (options->time && r->k_max)
    fprintf(out, "Executions k=%d of at most %d\n", r->k, r->k_max);
  if (options->quiet)
    return;
  if (r->witness) {
    struct str text = {0};
    witness_print_text(r->witness, &text);
    fputs(str_text(&text), out);
    str_free(&text);
  }
  if (r->core.found)
    litmus_print_core(&r->core, o->file, out);
  print_refutations(r, out);
}

/* As herd7 prints it.  The word after the name is the kind of the condition, not the verdict. */
void litmus_print_herd(const struct litmus_outcome *o, FILE *out) {
  static const struct {
    const char *kind, *quantifier;
  } words[] = {[QUANT_EXISTS] = {"Allowed", "exists"},
               [QUANT_NOT_EXISTS] = {"Forbidden", "~exists"},
               [QUANT_FORALL] = {"Required", "forall"}};
  const struct check_result *r = &o->result;
  const struct program *p = o->program;
  enum quantifier q = p->quantifier;
  struct arena a = {0};
  char **lines = litmus_sorted_states(o, &a);
  fprintf(out, "Test %s %s\nStates %d\n", p->name, words[q].kind, r->states.length);
  for (int i = 0; i < r->states.length; i++)
    fprintf(out, "%s\n", lines[i]);
  arena_release(&a);
  bool ok = q == QUANT_FORALL ? !r->negative : (r->positive > 0) == (q == QUANT_EXISTS);
  fprintf(out, "%s%s\nWitnesses\nPositive: %ld Negative: %ld\n", p->cut ? "Loop " : "",
          ok ? "Ok" : "No", r->positive, r->negative);
  for (int i = 0; i < r->flags.length; i++)
    fprintf(out, "Flag %s\n", r->flags.data[i]);
  const char *condition = p->condition_text ? p->condition_text : "true";
  fprintf(out, condition[0] == '(' ? "Condition %s %s\n" : "Condition %s (%s)\n",
          words[q].quantifier, condition);
  fprintf(out, "Observation %s %s %ld %ld\nTime %s %.2f\n\n", p->name, litmus_observation(o),
          r->positive, r->negative, p->name, o->seconds);
}

/* ---- JSON --------------------------------------------------------------------------------- */

static json_t *json_states(const struct litmus_outcome *o) {
  struct arena a = {0};
  json_t *list = json_array();
  char **lines = litmus_sorted_states(o, &a);
  for (int i = 0; i < o->result.states.length; i++)
    json_array_append_new(list, json_string(lines[i]));
  arena_release(&a);
  return list;
}

static json_t *json_texts(const char *const *texts, int count) {
  json_t *list = json_array();
  for (int i = 0; i < count; i++)
    json_array_append_new(list, json_string(texts[i]));
  return list;
}

json_t *litmus_json_core(const struct core *c, const char *file) {
  if (!c->found)
    return json_null();
  json_t *list = json_array();
  for (int i = 0; i < c->members.length; i++) {
    const struct core_member *m = &c->members.data[i];
    json_array_append_new(list, json_pack("{s:s, s:s, s:i, s:s, s:s}", "kind", group_title(m->kind),
                                          "file", m->place.file ? m->place.file : file, "line",
                                          m->place.line, "name", m->name, "text", m->text));
  }
  return list;
}

static json_t *json_pairs(const struct universe *u, const unsigned char *bits) {
  json_t *list = json_array();
  int n = u->actions.length;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (bits[i * n + j])
        json_array_append_new(list,
                              json_pack("[s,s]", u->actions.data[i].name, u->actions.data[j].name));
  return list;
}

static json_t *json_execution(const struct witness *w, int x) {
  const struct universe *u = w->universe;
  struct arena a = {0};
  json_t *actions = json_array(), *rf = json_array();
  for (int i = 0; i < u->actions.length; i++) {
    int s = w->executions[x].stmt[i];
    if (s < 0)
      continue;
    json_array_append_new(
        actions,
        json_pack("{s:s, s:s, s:s, s:i}", "name", u->actions.data[i].name, "thread",
                  u->program->threads.data[u->actions.data[i].thread].name, "action",
                  witness_action_text(w, x, i, &a), "line", u->program->stmts.data[s].place.line));
    if (w->executions[x].source[i] >= 0)
      json_array_append_new(rf, json_pack("[s,s]", u->actions.data[w->executions[x].source[i]].name,
                                          u->actions.data[i].name));
  }
  arena_release(&a);
  json_t *object = json_pack("{s:o, s:o}", "actions", actions, "rf", rf);
  if (w->executions[x].co)
    json_object_set_new(object, "co", json_pairs(u, w->executions[x].co));
  return object;
}

static json_t *json_relations(const struct witness *w) {
  json_t *list = json_array();
  for (int i = 0; i < w->relations.length; i++) {
    const struct witness_relation *r = &w->relations.data[i];
    json_t *members = r->is_set ? json_array() : json_pairs(w->universe, r->bits);
    for (int a = 0; r->is_set && a < w->universe->actions.length; a++)
      if (r->bits[a])
        json_array_append_new(members, json_string(w->universe->actions.data[a].name));
    json_array_append_new(list, json_pack("{s:s, s:i, s:i, s:o}", "name", r->name, "execution",
                                          r->execution, "index", r->index, "members", members));
  }
  return list;
}

static json_t *json_witness(const struct witness *w) {
  if (!w)
    return json_null();
  json_t *object = json_object(), *others = json_array();
  json_object_set_new(object, "E", json_execution(w, 0));
  for (int x = 1; x <= w->k; x++)
    json_array_append_new(others, json_execution(w, x));
  if (w->k)
    json_object_set_new(object, "executions", others);
  else
    json_decref(others);
  json_object_set_new(object, "relations", json_relations(w));
  return object;
}

static json_t *json_path(const struct universe *u, const struct cycle_path *path) {
  json_t *list = json_array();
  for (int i = 0; i < path->steps.length; i++) {
    const struct cycle_step *s = &path->steps.data[i];
    json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "from", u->actions.data[s->from].name,
                                          "to", u->actions.data[s->to].name, "edge", s->label));
  }
  return list;
}

static json_t *json_broken(const struct universe *u, const struct violations *broken) {
  json_t *list = json_array();
  for (int i = 0; i < broken->list.length; i++) {
    const struct violation *v = &broken->list.data[i];
    json_t *paths = json_array();
    for (int p = 0; p < v->paths.length; p++)
      json_array_append_new(paths, json_path(u, &v->paths.data[p]));
    json_t *members = json_array();
    for (int m = 0; m < v->members.length; m++)
      json_array_append_new(members, json_string(u->actions.data[v->members.data[m]].name));
    json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:i, s:i, s:b, s:o, s:o}", "name",
                                          v->name, "text", v->text, "file", v->place.file, "line",
                                          v->place.line, "execution", v->execution, "cycle",
                                          v->is_cycle, "paths", paths, "actions", members));
  }
  return list;
}

static json_t *json_refutations(const struct check_result *r) {
  json_t *list = json_array();
  for (int i = 0; i < r->refutations.length; i++) {
    const struct refutation *f = &r->refutations.data[i];
    json_array_append_new(list, json_pack("{s:o, s:o}", "execution", json_witness(f->witness),
                                          "broken", json_broken(f->witness->universe, &f->broken)));
  }
  return list;
}

json_t *litmus_json(const struct litmus_outcome *o, const struct litmus_options *options) {
  (void)options;
  if (o->failed)
    return json_pack("{s:s, s:{s:s, s:i, s:i, s:s}}", "file", o->file, "error", "file",
                     o->error.file, "line", o->error.place.line, "column", o->error.place.column,
                     "message", o->error.message);
  const struct check_result *r = &o->result;
  char hash[17];
  snprintf(hash, sizeof hash, "%016llx", (unsigned long long)o->model->hash);
  json_t *object =
      json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:i}", "file", o->file, "test",
                o->program->name, "model", o->model_name, "model_hash", hash, "verdict",
                r->allowed ? "allowed" : "forbidden", "observation", litmus_observation(o),
                "positive", (int)r->positive, "negative", (int)r->negative);
  json_object_set_new(object, "states", r->counted ? json_states(o) : json_null());
  json_object_set_new(object, "vacuous", json_boolean(r->vacuous));
  json_object_set_new(object, "flags", json_texts(r->flags.data, r->flags.length));
  json_object_set_new(object, "warnings", json_texts(r->warnings.data, r->warnings.length));
  json_object_set_new(object, "witness", json_witness(r->witness));
  json_object_set_new(object, "core", litmus_json_core(&r->core, o->file));
  json_object_set_new(object, "refutations", json_refutations(r));
  json_object_set_new(object, "variables", json_integer(r->variables));
  json_object_set_new(object, "clauses", json_integer(r->clauses));
  json_object_set_new(object, "second_opinion",
                      r->witness                  ? json_string("witness")
                      : r->candidates_judged >= 0 ? json_string("candidates")
                                                  : json_null());
  json_object_set_new(object, "seconds", json_real(o->seconds));
  json_object_set_new(object, "complete", json_boolean(!o->program->cut));
  if (r->k_max)
    json_object_set_new(object, "k", json_integer(r->k));
  return object;
}
