#include "report/json.h"
#include "report/json_value.h"
#include <stdio.h>
#include <string.h>

#define put json_value_put
#define add json_value_add

static json_t *location(const struct place *p) {
  if (!place_known(p))
    return json_null();
  json_t *o = json_object();
  put(o, "file", json_value_text(p->file));
  put(o, "line", json_value_count(p->line));
  put(o, "column", json_value_count(p->column));
  put(o, "function", json_value_text(p->function));
  if (!p->file && p->object) {
    put(o, "object", json_value_text(p->object));
    put(o, "offset", json_value_hex(p->offset));
  }
  return o;
}

static json_t *store(const struct finding_load *l, size_t i) {
  const struct finding_store *s = &l->stores.data[i];
  json_t *o = json_object();
  put(o, "chosen", json_boolean(s->chosen));
  put(o, "fate", json_value_text(store_fate_text(store_fate(l, i))));
  put(o, "initial", json_boolean(s->initial));
  put(o, "value", json_value_hex(s->value));
  put(o, "thread", s->initial ? json_null() : json_integer(s->thread));
  put(o, "machine", s->initial ? json_null() : json_integer(s->machine));
  put(o, "execution", json_integer(s->execution));
  put(o, "location", s->initial ? json_null() : location(&s->place));
  return o;
}

static json_t *load(const struct finding_load *l) {
  json_t *o = json_object(), *candidates = json_array();
  put(o, "location", location(&l->place));
  put(o, "address", json_value_hex(l->address));
  put(o, "region", json_value_text(l->region));
  put(o, "region_offset", l->region ? json_value_hex(l->region_offset) : json_null());
  put(o, "size", json_integer(l->size));
  put(o, "execution", json_integer(l->execution));
  for (size_t i = 0; i < l->stores.length; i++)
    add(candidates, store(l, i));
  put(o, "candidates", candidates);
  return o;
}

static bool same_place(const struct place *a, const struct place *b) {
  return a->line == b->line && a->column == b->column && a->offset == b->offset &&
         strcmp(a->file ? a->file : "", b->file ? b->file : "") == 0;
}

/* Is an equal store among those before load `until`, or before candidate `before` of it? */
static bool seen_before(const struct finding *f, size_t until, size_t before) {
  const struct finding_store *s = &f->loads.data[until].stores.data[before];
  for (size_t i = 0; i <= until; i++) {
    const struct finding_load *l = &f->loads.data[i];
    for (size_t j = 0; j < (i == until ? before : l->stores.length); j++) {
      const struct finding_store *t = &l->stores.data[j];
      if (!t->initial && same_place(&s->place, &t->place) && s->value == t->value &&
          s->thread == t->thread && s->machine == t->machine && s->execution == t->execution)
        return true;
    }
  }
  return false;
}

/* Every store that matters, once, in the order of the loads. */
static json_t *stores(const struct finding *f) {
  json_t *a = json_array();
  for (size_t i = 0; i < f->loads.length; i++)
    for (size_t j = 0; j < f->loads.data[i].stores.length; j++)
      if (!f->loads.data[i].stores.data[j].initial && !seen_before(f, i, j))
        add(a, store(&f->loads.data[i], j));
  return a;
}

static json_t *locations(const place_list *places) {
  json_t *a = json_array();
  for (size_t i = 0; i < places->length; i++)
    add(a, location(&places->data[i]));
  return a;
}

static json_t *turn(const struct finding_turn *t) {
  json_t *o = json_object();
  put(o, "execution", json_integer(t->execution));
  put(o, "thread", json_integer(t->thread));
  put(o, "store_buffer", json_boolean(t->drain));
  put(o, "operation", json_value_text(t->what));
  put(o, "location", location(&t->place));
  return o;
}

static json_t *failure(const struct finding_failure *x) {
  json_t *o = json_object();
  put(o, "execution", json_integer(x->execution));
  put(o, "machine", x->machine < 0 ? json_null() : json_integer(x->machine));
  put(o, "point", json_value_count(x->point));
  put(o, "before", json_value_text(x->before));
  put(o, "location", location(&x->place));
  put(o, "stack", locations(&x->stack));
  put(o, "machine_stack", locations(&x->own));
  json_t *stands = json_array();
  for (size_t i = 0; i < x->stands.length; i++)
    add(stands, turn(&x->stands.data[i]));
  put(o, "threads", stands);
  return o;
}

static json_t *part(const struct finding_part *p) {
  json_t *o = json_object();
  put(o, "role", json_value_text(finding_role_text(p->role)));
  put(o, "location", location(&p->place));
  put(o, "stack", locations(&p->stack));
  put(o, "thread", json_integer(p->thread));
  put(o, "execution", json_integer(p->execution));
  put(o, "size", p->size ? json_integer(p->size) : json_null());
  put(o, "copied", json_boolean(p->copied));
  put(o, "region", json_value_text(p->region));
  put(o, "region_offset", p->region ? json_value_hex(p->region_offset) : json_null());
  put(o, "field", json_value_text(p->field));
  put(o, "type", json_value_text(p->type));
  return o;
}

static json_t *window(const struct finding_window *w) {
  json_t *o = json_object();
  put(o, "thread", json_integer(w->thread));
  put(o, "primary", json_boolean(w->primary));
  put(o, "flush", json_boolean(w->flush));
  put(o, "fence", json_boolean(w->fence));
  put(o, "after", location(&w->after));
  put(o, "before", location(&w->before));
  return o;
}

static void add_event(json_t *trace, const char *event, int execution, json_t *where,
                      const char *what) {
  json_t *o = json_object();
  put(o, "event", json_value_text(event));
  put(o, "execution", json_integer(execution));
  put(o, "location", where);
  put(o, "text", json_value_text(what));
  add(trace, o);
}

static void add_load_event(json_t *trace, const struct finding_load *l) {
  struct str what = {0};
  str_format(&what, "load of %d bytes at ", l->size);
  load_address_text(l, &what);
  for (size_t i = 0; i < l->stores.length; i++)
    if (l->stores.data[i].chosen)
      str_format(&what, " reads 0x%lx", (unsigned long)l->stores.data[i].value);
  add_event(trace, "load", l->execution, location(&l->place), str_text(&what));
  str_free(&what);
}

/* What led to the finding, in order: the uncertain loads of an execution, then its failure. */
static json_t *trace(const struct finding *f) {
  json_t *a = json_array();
  struct str what = {0};
  size_t next = 0;
  for (size_t i = 0; i < f->failures.length; i++) {
    const struct finding_failure *x = &f->failures.data[i];
    for (; next < f->loads.length && f->loads.data[next].execution <= x->execution; next++)
      add_load_event(a, &f->loads.data[next]);
    str_clear(&what);
    if (x->machine >= 0)
      str_format(&what, "machine %d fails", x->machine);
    else
      str_append(&what, "power failure");
    if (x->before)
      str_format(&what, " before %s", x->before);
    add_event(a, "failure", x->execution, location(&x->place), str_text(&what));
  }
  for (; next < f->loads.length; next++)
    add_load_event(a, &f->loads.data[next]);
  str_clear(&what);
  finding_headline(f, &what);
  add_event(a, "finding", f->execution, location(finding_place(f)), str_text(&what));
  str_free(&what);
  return a;
}

static json_t *texts(char *const *data, size_t length) {
  json_t *a = json_array();
  for (size_t i = 0; i < length; i++)
    add(a, json_value_text(data[i]));
  return a;
}

static json_t *options(const struct run *r) {
  json_t *o = json_object();
  for (size_t i = 0; i < r->options.length; i++) {
    const struct run_option *x = &r->options.data[i];
    json_t *value = x->value ? json_value_text(x->value) : json_true(),
           *old = json_object_get(o, x->name);
    if (!old) {
      put(o, x->name, value);
      continue;
    }
    json_t *list = json_is_array(old) ? json_incref(old) : json_pack("[O]", old);
    add(list, value); /* given several times */
    put(o, x->name, list);
  }
  return o;
}

/* The fields that make a run repeatable; in the report and in each finding. */
static void put_run(json_t *o, const struct run *r) {
  put(o, "model", json_value_text(r->model));
  put(o, "program", json_value_text(r->program));
  put(o, "arguments", texts(r->arguments.data, r->arguments.length));
  put(o, "recover", json_value_text(r->recover));
  put(o, "options", options(r));
  put(o, "directory", json_value_text(r->directory));
  char hash[24];
  snprintf(hash, sizeof hash, "%016lx", (unsigned long)r->program_hash);
  put(o, "program_hash", r->program_hash ? json_string(hash) : json_null());
  if (r->input_hash) {
    json_t *input = json_object();
    snprintf(hash, sizeof hash, "%016lx", (unsigned long)r->input_hash);
    put(input, "bytes", json_value_count(r->input_bytes));
    put(input, "hash", json_string(hash));
    put(o, "input", input);
  }
}

/* In digits if it is more than a number can say everywhere. */
static json_t *total(uint64_t count, const char *text) {
  return text ? json_value_text(text) : json_value_count(count);
}

static json_t *variables(const struct finding *f) {
  json_t *a = json_array();
  for (size_t i = 0; i < f->variables.length; i++) {
    const struct finding_variable *v = &f->variables.data[i];
    if (!v->name)
      continue;
    json_t *o = json_object();
    put(o, "address", json_value_hex(v->address));
    put(o, "name", json_value_text(v->name));
    add(a, o);
  }
  return a;
}

static json_t *windows_further(const struct finding *f) {
  json_t *a = json_array();
  for (size_t i = 0; i < f->further.length; i++)
    add(a, window(&f->further.data[i]));
  return a;
}

static json_t *finding(const struct report *r, const struct finding *f) {
  json_t *o = json_object(), *list;
  struct str fingerprint = {0};
  finding_fingerprint(f, &fingerprint);
  put(o, "kind", json_value_text(finding_kind_text(f->kind)));
  put(o, "message", json_value_text(f->message ? f->message : ""));
  put(o, "said", json_value_text(f->said));
  put(o, "location", location(finding_place(f)));
  put(o, "replay", json_value_text(finding_token(f)));
  put(o, "count", total(f->count, f->count_text));
  put(o, "fingerprint", json_value_text(str_text(&fingerprint)));
  put(o, "execution", json_integer(f->execution));
  put(o, "thread", json_integer(f->thread));
  put(o, "machine", json_integer(f->machine));
  put(o, "stack", locations(&f->stack));
  list = json_array();
  for (size_t i = 0; i < f->failures.length; i++)
    add(list, failure(&f->failures.data[i]));
  put(o, "failures", list);
  put(o, "trace", trace(f));
  list = json_array();
  for (size_t i = 0; i < f->loads.length; i++)
    add(list, load(&f->loads.data[i]));
  put(o, "loads", list);
  put(o, "stores", stores(f));
  list = json_array();
  for (size_t i = 0; i < f->turns.length; i++)
    add(list, turn(&f->turns.data[i]));
  put(o, "schedule", list);
  put(o, "fix", json_value_text(f->fix));
  put(o, "fix_location", f->fix ? location(&f->fix_place) : json_null());
  list = json_array();
  for (size_t i = 0; i < f->windows.length; i++)
    add(list, window(&f->windows.data[i]));
  put(o, "fix_windows", list);
  if (f->further.length)
    put(o, "fix_further", windows_further(f));
  list = json_array();
  for (size_t i = 0; i < f->parts.length; i++)
    add(list, part(&f->parts.data[i]));
  put(o, "parts", list);
  if (f->variables.length)
    put(o, "variables", variables(f));
  json_t *run = json_object();
  put_run(run, r->run);
  put(o, "run", run);
  str_free(&fingerprint);
  return o;
}

static json_t *silenced(const struct report *r) {
  json_t *a = json_array();
  for (size_t i = 0; i < r->silenced.length; i++) {
    json_t *o = finding(r, &r->silenced.data[i].finding);
    put(o, "silenced_by", json_value_text(r->silenced.data[i].by));
    add(a, o);
  }
  return a;
}

/* Outcomes that differ only in bytes that are not UTF-8 have one name here. */
static json_t *outcomes(const struct results *x) {
  json_t *o = json_object();
  for (size_t i = 0; i < x->outcomes.length; i++) {
    json_t *key = json_value_text(x->outcomes.data[i].text);
    const char *name = json_string_value(key);
    uint64_t before = (uint64_t)json_integer_value(json_object_get(o, name));
    put(o, name, total(before + x->outcomes.data[i].count, x->outcomes.data[i].count_text));
    json_decref(key);
  }
  return o;
}

void report_json(const struct report *r, struct str *out) {
  const struct results *x = r->results;
  json_t *o = json_object(), *findings = json_array();
  put(o, "tool", json_value_text("tidemark"));
  put(o, "version", json_value_text(r->version));
  put_run(o, r->run);
  put(o, "error", json_value_text(x->error));
  put(o, "error_stack", locations(&x->error_stack));
  put(o, "complete", json_boolean(x->complete));
  put(o, "incomplete_why", json_value_text(x->complete ? NULL : x->incomplete_why));
  put(o, "executions", total(x->executions, x->executions_text));
  put(o, "estimated_executions", x->estimate ? json_value_count(x->estimate) : json_null());
  put(o, "program_runs", json_value_count(x->program_runs));
  put(o, "failure_points", json_value_count(x->failure_points));
  put(o, "schedules", json_value_count(x->schedules));
  put(o, "steps", json_value_count(x->steps));
  put(o, "wall_seconds", json_value_seconds(r->wall_seconds));
  put(o, "cpu_seconds", json_value_seconds(x->cpu_seconds));
  put(o, "peak_bytes", json_value_count(x->peak_bytes));
  put(o, "eager_states", json_value_text(x->eager_states));
  put(o, "outcomes", outcomes(x));
  put(o, "fences", locations(&x->fences));
  put(o, "notes", texts(r->notes.data, r->notes.length));
  for (size_t i = 0; i < x->findings.length; i++)
    add(findings, finding(r, &x->findings.data[i]));
  put(o, "findings", findings);
  put(o, "silenced", silenced(r));
  json_value_print(o, out);
}
