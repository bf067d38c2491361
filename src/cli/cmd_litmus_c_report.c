/* What is said about a C program: the verdict, the execution in source lines, or the core. */
#include "cli/cmd_litmus_c.h"
#include "cprog/c_describe.h"
#include "cprog/c_source.h"
#include <string.h>

static const struct program *program_of(const struct c_outcome *o) {
  return o->program->program;
}

static const char *const verdict_titles[] = {"Violated", "Verified", "Bounded"};

static const char *violation_text(const struct c_violation *v, struct arena *a) {
  switch (v->kind) {
  case VIOLATION_ASSERT:
    return arena_format(a, "assertion '%s' fails", v->text);
  case VIOLATION_ADDRESS:
    return arena_format(a, "%s%s", strncmp(v->text, "to ", 3) ? "access " : "an attempt ", v->text);
  default:
    return v->text;
  }
}

/* ---- events ---------------------------------------------------------------------------------- */

static const char *tags_text(const struct stmt *s, struct arena *a) {
  const char *text = "";
  for (int t = 0; t < TAG_COUNT; t++)
    if (tags_has(&s->tags, (enum tag)t))
      text = arena_format(a, "%s%s%s", text, *text ? " " : "", tag_name((enum tag)t));
  return *text ? arena_format(a, " [%s]", text) : s->atomic ? " [locked]" : "";
}

static const char *place_text(struct place where, struct arena *a) {
  return where.line ? arena_format(a, "%s:%d", where.file, where.line) : "-";
}

static const char *base_name(const char *file) {
  const char *slash = strrchr(file, '/');
  return slash ? slash + 1 : file;
}

/* In the table of a witness, whose lines are long: the path only where it is needed. */
static const char *short_place(const struct program *p, struct place where, struct arena *a) {
  if (!where.line)
    return "-";
  const char *base = base_name(where.file);
  for (int i = 0; i < p->stmts.length; i++) {
    const char *other = p->stmts.data[i].place.file;
    if (p->stmts.data[i].place.line && !strcmp(base_name(other), base) &&
        strcmp(other, where.file) != 0)
      return place_text(where, a);
  }
  return arena_format(a, "%s:%d", base, where.line);
}

static const char *source_of(const struct witness *w, int action, struct arena *a) {
  const struct universe *u = w->universe;
  int from = w->executions[0].source[action];
  const struct stmt *s = &u->program->stmts.data[w->executions[0].stmt[from]];
  if (s->thread == 0)
    return "initially";
  return arena_format(a, "from %s, %s", u->program->threads.data[s->thread].name,
                      short_place(u->program, s->place, a));
}

static const char *event_text(const struct c_outcome *o, int action, struct arena *a) {
  const struct witness *w = o->result.witness;
  const struct witness_execution *x = &w->executions[0];
  const struct stmt *s = &w->universe->program->stmts.data[x->stmt[action]];
  const char *place =
      x->location[action] >= 0
          ? c_describe_name(w->universe->program->locations.data[x->location[action]].name, a)
          : "";
  const char *value = c_describe_value(o->program, s, x->value[action], a);
  const char *tags = tags_text(s, a);
  if (s->kind == STMT_READ)
    return arena_format(a, "read  %s = %s%s  %s", place, value, tags, source_of(w, action, a));
  if (s->births)
    return arena_format(a, "malloc %s", place);
  if (s->frees)
    return arena_format(a, "%s  %s", s->returns ? "end of" : "free", place);
  if (s->kind == STMT_WRITE)
    return arena_format(a, "write %s = %s%s", place, value, tags);
  return arena_format(a, "fence%s", *tags ? tags : " [mfence]");
}

static bool names_table(const char *text) {
  text += *text == '&';
  return strncmp(text, "vtable for ", strlen("vtable for ")) == 0;
}

static bool races(const struct c_outcome *o, int stmt) {
  const struct c_result *r = &o->result;
  for (int i = 0; i < r->races.length; i++)
    if (r->races.data[i].stmt[0] == stmt || r->races.data[i].stmt[1] == stmt)
      return true;
  return false;
}

/* Which virtual functions an object has, each thread of the C++ library for instance, tells nobody anything. */
static bool is_about_table(const struct c_outcome *o, int action, struct arena *a) {
  const struct witness *w = o->result.witness;
  const struct witness_execution *x = &w->executions[0];
  const struct program *p = w->universe->program;
  const struct stmt *s = &p->stmts.data[x->stmt[action]];
  if ((s->kind != STMT_READ && s->kind != STMT_WRITE) || x->location[action] < 0)
    return false;
  return names_table(c_describe_name(p->locations.data[x->location[action]].name, a)) ||
         names_table(c_describe_value(o->program, s, x->value[action], a));
}

struct row {
  const char *place, *event, *source;
};

/* What is longer than most stands out rather than move the rest of the table far away. */
static int wider(int width, const char *text, int most) {
  int n = (int)strlen(text);
  return n > width && n <= most ? n : width;
}

typedef LIST(struct row) row_list;

/* What a thread got where the program asks for any value, from an input on, in front of a statement. */
static int add_inputs(const struct c_outcome *o, int thread, int from, int before, row_list *rows,
                      struct arena *a) {
  const struct witness *w = o->result.witness;
  const struct program *p = w->universe->program;
  int i = from;
  for (; i < p->inputs.length && p->inputs.data[i].before <= before; i++) {
    const struct input *x = &p->inputs.data[i];
    if (x->thread != thread || !c_describe_is_asked(w, i))
      continue;
    const char *text = c_source_line(x->place, a);
    struct row row = {short_place(p, x->place, a),
                      arena_format(a, "%s = %lld", x->name, (long long)c_describe_input(w, i)),
                      text ? text : ""};
    list_push(a, rows, row);
  }
  return i;
}

static void find_rows(const struct c_outcome *o, int thread, row_list *rows, struct arena *a) {
  const struct witness *w = o->result.witness;
  const struct program *p = w->universe->program;
  int input = 0;
  for (int e = 0; e < w->universe->actions.length; e++) {
    int s = w->executions[0].stmt[e];
    if (s < 0 || w->universe->actions.data[e].thread != thread)
      continue;
    const struct stmt *st = &p->stmts.data[s];
    input = add_inputs(o, thread, input, s, rows, a);
    if (is_about_table(o, e, a) && !races(o, s))
      continue;
    struct row row = {short_place(p, st->place, a), event_text(o, e, a),
                      st->place.line ? st->text : ""};
    list_push(a, rows, row);
  }
  add_inputs(o, thread, input, p->stmts.length, rows, a);
}

static void print_witness(const struct c_outcome *o, FILE *out) {
  enum { PLACE_WIDTH = 16, PLACE_MOST = 32, EVENT_WIDTH = 44, EVENT_MOST = 72 };
  const struct program *p = program_of(o);
  struct arena a = {0};
  row_list *rows = arena_alloc(&a, (size_t)p->threads.length * sizeof *rows);
  int place = PLACE_WIDTH, event = EVENT_WIDTH;
  for (int t = 1; t < p->threads.length; t++) {
    find_rows(o, t, &rows[t], &a);
    for (int i = 0; i < rows[t].length; i++) {
      place = wider(place, rows[t].data[i].place, PLACE_MOST);
      event = wider(event, rows[t].data[i].event, EVENT_MOST);
    }
  }
  fprintf(out, "Witness\n");
  for (int t = 1; t < p->threads.length; t++) {
    if (rows[t].length)
      fprintf(out, "  %s\n", p->threads.data[t].name);
    for (int i = 0; i < rows[t].length; i++)
      fprintf(out, "    %-*s %-*s %s\n", place, rows[t].data[i].place, event, rows[t].data[i].event,
              rows[t].data[i].source);
  }
  arena_release(&a);
}

/* The writes of each location that has several, in coherence order. */
static void print_coherence(const struct c_outcome *o, FILE *out) {
  const struct witness *w = o->result.witness;
  const struct witness_execution *x = &w->executions[0];
  const struct program *p = program_of(o);
  int n = w->universe->actions.length;
  struct arena a = {0};
  for (int l = 0; x->co && l < p->locations.length; l++) {
    int *writes = arena_alloc(&a, (size_t)(n + 1) * sizeof *writes), count = 0;
    bool tables = false;
    for (int e = 0; e < n; e++)
      if (x->stmt[e] >= 0 && x->location[e] == l &&
          w->universe->actions.data[e].kind == STMT_WRITE) {
        tables |= is_about_table(o, e, &a);
        int i = count++;
        for (; i > 0 && x->co[e * n + writes[i - 1]]; i--)
          writes[i] = writes[i - 1];
        writes[i] = e;
      }
    if (count < 3 || tables)
      continue;
    fprintf(out, "  order of %s:", c_describe_name(p->locations.data[l].name, &a));
    for (int i = 0; i < count; i++)
      fprintf(out, "%s %s", i ? "," : "",
              c_describe_value(o->program, &p->stmts.data[x->stmt[writes[i]]], x->value[writes[i]],
                               &a));
    fprintf(out, "\n");
  }
  arena_release(&a);
}

/* ---- text ------------------------------------------------------------------------------------ */

static bool is_between(const struct c_outcome *o, const struct c_race *race, const char *one,
                       const char *other, struct arena *a) {
  const struct stmt *s = program_of(o)->stmts.data;
  const char *first = place_text(s[race->stmt[0]].place, a),
             *second = place_text(s[race->stmt[1]].place, a);
  return (!strcmp(one, first) && !strcmp(other, second)) ||
         (!strcmp(one, second) && !strcmp(other, first));
}

/* Threads that execute the same lines race there once for each pair of them: one is enough to see. */
static bool is_shown(const struct c_outcome *o, int number, struct arena *a) {
  const struct c_race *races = o->result.races.data;
  const struct stmt *s = program_of(o)->stmts.data;
  const char *one = place_text(s[races[number].stmt[0]].place, a);
  const char *other = place_text(s[races[number].stmt[1]].place, a);
  for (int i = 0; i < number; i++)
    if (!strcmp(races[i].flag, races[number].flag) && is_between(o, &races[i], one, other, a))
      return true;
  return false;
}

static void print_races(const struct c_outcome *o, FILE *out) {
  const struct c_result *r = &o->result;
  struct arena a = {0};
  if (r->flags[0])
    fprintf(out, "Flag %s\n", r->flags);
  for (int i = 0; i < r->races.length; i++) {
    const struct stmt *s[2];
    if (is_shown(o, i, &a))
      continue;
    for (int k = 0; k < 2; k++)
      s[k] = &program_of(o)->stmts.data[r->races.data[i].stmt[k]];
    fprintf(out, "Violation %s %s: %s: %s\n       with %s %s: %s\n", place_text(s[0]->place, &a),
            program_of(o)->threads.data[s[0]->thread].name, r->races.data[i].flag, s[0]->text,
            place_text(s[1]->place, &a), program_of(o)->threads.data[s[1]->thread].name,
            s[1]->text);
  }
  arena_release(&a);
}

static const char orders_ignored[] =
    "the model knows none of the orders and fences of any --target: those of the program have no "
    "effect";

void litmus_c_print(const struct c_outcome *o, FILE *out) {
  const struct c_result *r = &o->result;
  struct arena a = {0};
  fprintf(out, "Program %s %s %s\n", o->job->file, o->job->model_name, verdict_titles[r->verdict]);
  if (r->violation)
    fprintf(out, "Violation %s:%d %s: %s\n", r->violation->place.file, r->violation->place.line,
            program_of(o)->threads.data[r->violation->thread].name,
            violation_text(r->violation, &a));
  print_races(o, out);
  if (r->bound)
    fprintf(out,
            "Incomplete: nothing goes wrong within %d turns of a loop, but %s:%d goes on, see "
            "--unroll\n",
            o->job->options->unroll, r->bound->place.file, r->bound->place.line);
  if (o->ignores_orders)
    fprintf(out, "Warning: %s\n", orders_ignored);
  if (r->verdict == C_VERIFIED && !r->completes)
    fprintf(out, "Warning: no execution runs to its end\n");
  if (r->hang)
    fprintf(out, "Warning: %s may wait for ever, %s:%d\n",
            program_of(o)->threads.data[r->hang->thread].name, r->hang->place.file,
            r->hang->place.line);
  if (r->uninitialised >= 0) {
    const struct stmt *s = &program_of(o)->stmts.data[r->uninitialised];
    fprintf(out, "Warning: %s may read memory that nobody has written, %s\n",
            program_of(o)->threads.data[s->thread].name, place_text(s->place, &a));
  }
  if (o->job->options->time)
    fprintf(out, "Size %d variables, %lld clauses, %d events, %.4f s\n", r->variables,
            (long long)r->clauses, program_of(o)->stmts.length, o->seconds);
  if (o->job->options->time && r->candidates_judged >= 0)
    fprintf(out, "Second opinion: none of %ld candidates goes wrong\n", r->candidates_judged);
  else if (o->job->options->cross_check && r->verdict != C_VIOLATED)
    fprintf(out,
            "Second opinion: none (too many candidates, or a value that nothing determines)\n");
  if (!o->job->options->quiet && r->witness) {
    print_witness(o, out);
    print_coherence(o, out);
  }
  if (!o->job->options->quiet && r->core.found)
    litmus_print_core(&r->core, o->job->file, out);
  if (o->job->options->minimise_orders && r->verdict != C_VIOLATED)
    litmus_c_print_orders(o, out);
  arena_release(&a);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *json_event(const struct c_outcome *o, int e, struct arena *a) {
  const struct witness *w = o->result.witness;
  const struct witness_execution *x = &w->executions[0];
  const struct program *p = w->universe->program;
  const struct stmt *s = &p->stmts.data[x->stmt[e]];
  static const char *const kinds[] = {
#define X(name, text) text,
      STMT_KINDS(X)
#undef X
  };
  json_t *event = json_pack(
      "{s:s, s:s, s:s, s:s, s:i, s:i}", "name", w->universe->actions.data[e].name, "thread",
      p->threads.data[s->thread].name, "kind", kinds[s->kind], "file",
      s->place.file ? s->place.file : "", "line", s->place.line, "column", s->place.column);
  if (x->location[e] >= 0) {
    json_object_set_new(event, "location", json_string(p->locations.data[x->location[e]].name));
    json_object_set_new(event, "value",
                        json_string(c_describe_value(o->program, s, x->value[e], a)));
  }
  if (s->kind == STMT_READ)
    json_object_set_new(event, "from", json_string(w->universe->actions.data[x->source[e]].name));
  return event;
}

static json_t *json_witness(const struct c_outcome *o) {
  const struct witness *w = o->result.witness;
  if (!w)
    return json_null();
  struct arena a = {0};
  json_t *events = json_array(), *co = json_array();
  int n = w->universe->actions.length;
  for (int e = 0; e < n; e++)
    if (w->executions[0].stmt[e] >= 0)
      json_array_append_new(events, json_event(o, e, &a));
  for (int i = 0; w->executions[0].co && i < n * n; i++)
    if (w->executions[0].co[i])
      json_array_append_new(co, json_pack("[s,s]", w->universe->actions.data[i / n].name,
                                          w->universe->actions.data[i % n].name));
  json_t *inputs = json_array();
  const struct program *p = w->universe->program;
  for (int i = 0; i < p->inputs.length; i++)
    if (c_describe_is_asked(w, i)) {
      const struct input *x = &p->inputs.data[i];
      json_array_append_new(inputs, json_pack("{s:s, s:s, s:i, s:i, s:I}", "thread",
                                              p->threads.data[x->thread].name, "file",
                                              x->place.file ? x->place.file : "", "line",
                                              x->place.line, "column", x->place.column, "value",
                                              (json_int_t)c_describe_input(w, i)));
    }
  arena_release(&a);
  return json_pack("{s:o, s:o, s:o}", "events", events, "co", co, "inputs", inputs);
}

static json_t *json_races(const struct c_outcome *o) {
  json_t *list = json_array();
  for (int i = 0; i < o->result.races.length; i++) {
    const struct c_race *race = &o->result.races.data[i];
    json_t *pair = json_array();
    for (int k = 0; k < 2; k++) {
      const struct stmt *s = &program_of(o)->stmts.data[race->stmt[k]];
      json_array_append_new(pair, json_pack("{s:s, s:s, s:i, s:s}", "thread",
                                            program_of(o)->threads.data[s->thread].name, "file",
                                            s->place.file, "line", s->place.line, "text", s->text));
    }
    json_array_append_new(list, json_pack("{s:s, s:o}", "flag", race->flag, "accesses", pair));
  }
  return list;
}

json_t *litmus_c_json(const struct c_outcome *o) {
  const struct c_result *r = &o->result;
  struct arena a = {0};
  char hash[17];
  snprintf(hash, sizeof hash, "%016llx", (unsigned long long)o->job->model->hash);
  json_t *object =
      json_pack("{s:s, s:s, s:s, s:s, s:s, s:i}", "file", o->job->file, "model", o->job->model_name,
                "model_hash", hash, "target", o->target->name, "verdict",
                c_verdict_word(r->verdict), "unroll", o->job->options->unroll);
  json_object_set_new(object, "complete", json_boolean(r->verdict != C_BOUNDED));
  if (r->violation)
    json_object_set_new(object, "violation",
                        json_pack("{s:s, s:i, s:s, s:s}", "file", r->violation->place.file, "line",
                                  r->violation->place.line, "thread",
                                  program_of(o)->threads.data[r->violation->thread].name, "text",
                                  violation_text(r->violation, &a)));
  if (r->bound)
    json_object_set_new(
        object, "bound",
        json_pack("{s:s, s:i}", "file", r->bound->place.file, "line", r->bound->place.line));
  if (r->hang)
    json_object_set_new(object, "hang",
                        json_pack("{s:s, s:s, s:i}", "thread",
                                  program_of(o)->threads.data[r->hang->thread].name, "file",
                                  r->hang->place.file, "line", r->hang->place.line));
  if (r->uninitialised >= 0) {
    const struct stmt *s = &program_of(o)->stmts.data[r->uninitialised];
    json_object_set_new(object, "uninitialised",
                        json_pack("{s:s, s:s, s:i}", "thread",
                                  program_of(o)->threads.data[s->thread].name, "file",
                                  s->place.file ? s->place.file : "", "line", s->place.line));
  }
  json_object_set_new(object, "warnings",
                      o->ignores_orders ? json_pack("[s]", orders_ignored) : json_array());
  json_object_set_new(object, "flags", json_string(r->flags));
  json_object_set_new(object, "races", json_races(o));
  if (r->verdict == C_VERIFIED)
    json_object_set_new(object, "completes", json_boolean(r->completes));
  json_object_set_new(object, "witness", json_witness(o));
  json_object_set_new(object, "core", litmus_json_core(&r->core, o->job->file));
  json_object_set_new(object, "second_opinion",
                      r->witness                  ? json_string("witness")
                      : r->candidates_judged >= 0 ? json_string("candidates")
                                                  : json_null());
  if (o->job->options->minimise_orders)
    json_object_set_new(object, "orders", litmus_c_json_orders(o));
  json_object_set_new(object, "variables", json_integer(r->variables));
  json_object_set_new(object, "clauses", json_integer(r->clauses));
  json_object_set_new(object, "seconds", json_real(o->seconds));
  arena_release(&a);
  return object;
}
