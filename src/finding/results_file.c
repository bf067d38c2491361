#include "finding/results_file.h"
#include <stdlib.h>
#include <string.h>

#define HEADER "tidemark-results 1"

/* ---- writing ---- */

static void put_text(struct str *out, const char *text) {
  for (const char *p = text ? text : ""; *p; p++) {
    switch (*p) {
    case '\t':
      str_append(out, "\\t");
      break;
    case '\n':
      str_append(out, "\\n");
      break;
    case '\\':
      str_append(out, "\\\\");
      break;
    default:
      str_append_char(out, *p);
    }
  }
}

static void put_field(struct str *out, const char *key, const char *text) {
  if (!text)
    return;
  str_format(out, "%s ", key);
  put_text(out, text);
  str_append_char(out, '\n');
}

static void put_number(struct str *out, const char *key, uint64_t n) {
  str_format(out, "%s %lu\n", key, (unsigned long)n);
}

/* 580 years are as many as a number can hold; what was read may say that. */
static uint64_t nanoseconds(double seconds) {
  return seconds < (double)UINT64_MAX / 1e9 ? (uint64_t)(seconds * 1e9) : UINT64_MAX;
}

static void put_place(struct str *out, const char *key, const struct place *p) {
  str_format(out, "%s ", key);
  put_text(out, p->file);
  str_format(out, "\t%u\t%u\t", p->line, p->column);
  put_text(out, p->function);
  str_append_char(out, '\t');
  put_text(out, p->object);
  str_format(out, "\t%lu\n", (unsigned long)p->offset);
}

static void put_load(struct str *out, const struct finding_load *l) {
  str_format(out, "load %lu\t%d\t%d\t%lu\t", (unsigned long)l->address, l->size, l->execution,
             (unsigned long)l->region_offset);
  put_text(out, l->region);
  str_append_char(out, '\n');
  put_place(out, "load-place", &l->place);
  for (size_t i = 0; i < l->stores.length; i++) {
    const struct finding_store *s = &l->stores.data[i];
    str_format(out, "store %d\t%d\t%lu\t%d\t%d\t%d\n", s->initial, s->chosen,
               (unsigned long)s->value, s->thread, s->machine, s->execution);
    put_place(out, "store-place", &s->place);
    if (s->unmade)
      str_append(out, "store-unmade 1\n");
  }
}

/* kind: "turn" or "stand". */
static void put_turn(struct str *out, const char *kind, const struct finding_turn *t) {
  str_format(out, "%s %d\t%d\t%d\t", kind, t->execution, t->thread, t->drain);
  put_text(out, t->what);
  str_append_char(out, '\n');
  put_place(out, "turn-place", &t->place);
  for (size_t i = 0; i < t->stack.length; i++)
    put_place(out, "turn-frame", &t->stack.data[i]);
}

static void put_part(struct str *out, const struct finding_part *p) {
  str_format(out, "part %s\t%d\t%d\t%d\t%d\t%lu\t", finding_role_text(p->role), p->thread,
             p->execution, p->size, p->copied, (unsigned long)p->region_offset);
  put_text(out, p->region);
  str_append_char(out, '\n');
  put_place(out, "part-place", &p->place);
  for (size_t i = 0; i < p->stack.length; i++)
    put_place(out, "part-frame", &p->stack.data[i]);
}

static void put_window(struct str *out, const struct finding_window *w) {
  str_format(out, "window %d\t%d\t%d\t%d\n", w->thread, w->primary, w->flush, w->fence);
  put_place(out, "window-after", &w->after);
  put_place(out, "window-before", &w->before);
}

static void put_variable(struct str *out, const struct finding_variable *v) {
  str_format(out, "variable %lu\t%lu\t", (unsigned long)v->address, (unsigned long)v->offset);
  put_text(out, v->object);
  str_append_char(out, '\n');
}

static void put_prevention(struct str *out, const struct finding_prevention *p) {
  if (!p->executions)
    return;
  put_number(out, "looked-at", p->executions);
  put_number(out, "effort", p->effort);
  for (size_t i = 0; i < p->cases.length; i++) {
    const struct finding_case *c = &p->cases.data[i];
    str_format(out, "case %lu\t%lu\t%d\t%d\n", (unsigned long)c->before, (unsigned long)c->effort,
               c->hopeless, c->unsure);
    for (size_t j = 0; j < c->remedies.length; j++)
      put_field(out, "case-remedy", c->remedies.data[j]);
    if (!c->text)
      continue;
    put_field(out, "case-text", c->text);
    put_place(out, "case-place", &c->place);
    str_format(out, "case-window %d\t%d\t%d\t%d\n", c->window.thread, c->window.primary,
               c->window.flush, c->window.fence);
    put_place(out, "case-after", &c->window.after);
    put_place(out, "case-before", &c->window.before);
  }
}

static void put_finding(struct str *out, const struct finding *f) {
  put_field(out, "finding", finding_kind_text(f->kind));
  put_field(out, "message", f->message);
  if (f->said)
    put_field(out, "said", f->said);
  put_field(out, "token", f->token);
  str_format(out, "where %d\t%d\t%d\n", f->execution, f->thread, f->machine);
  put_number(out, "count", f->count);
  put_field(out, "count-text", f->count_text);
  if (f->refutes)
    put_number(out, "refutes", 1);
  put_place(out, "place", &f->place);
  for (size_t i = 0; i < f->stack.length; i++)
    put_place(out, "frame", &f->stack.data[i]);
  for (size_t i = 0; i < f->failures.length; i++) {
    const struct finding_failure *x = &f->failures.data[i];
    str_format(out, "failure %d\t%d\t%u\t", x->execution, x->machine, x->point);
    put_text(out, x->before);
    str_append_char(out, '\n');
    put_place(out, "failure-place", &x->place);
    for (size_t j = 0; j < x->stack.length; j++)
      put_place(out, "failure-frame", &x->stack.data[j]);
    for (size_t j = 0; j < x->own.length; j++)
      put_place(out, "failure-own", &x->own.data[j]);
    if (x->ended)
      put_number(out, "failure-ended", 1);
    for (size_t j = 0; j < x->stands.length; j++)
      put_turn(out, "stand", &x->stands.data[j]);
  }
  for (size_t i = 0; i < f->loads.length; i++)
    put_load(out, &f->loads.data[i]);
  for (size_t i = 0; i < f->turns.length; i++)
    put_turn(out, "turn", &f->turns.data[i]);
  for (size_t i = 0; i < f->parts.length; i++)
    put_part(out, &f->parts.data[i]);
  for (size_t i = 0; i < f->variables.length; i++)
    put_variable(out, &f->variables.data[i]);
  for (size_t i = 0; i < f->windows.length; i++)
    put_window(out, &f->windows.data[i]);
  if (f->fix) {
    put_field(out, "fix", f->fix);
    put_place(out, "fix-place", &f->fix_place);
  }
  put_field(out, "identity", f->identity);
  if (f->rank)
    put_number(out, "rank", f->rank);
  put_prevention(out, &f->prevention);
}

void results_write(const struct results *r, struct str *out) {
  str_append(out, HEADER "\n");
  put_number(out, "complete", r->complete);
  put_field(out, "incomplete-why", r->incomplete_why);
  put_field(out, "error", r->error);
  for (size_t i = 0; i < r->error_stack.length; i++)
    put_place(out, "error-frame", &r->error_stack.data[i]);
  for (size_t i = 0; i < r->notes.length; i++)
    put_field(out, "note", r->notes.data[i]);
  put_number(out, "executions", r->executions);
  put_field(out, "executions-text", r->executions_text);
  put_number(out, "estimate", r->estimate);
  put_number(out, "program-runs", r->program_runs);
  put_number(out, "failure-points", r->failure_points);
  if (r->points_of_longest)
    put_number(out, "points-of-longest", 1);
  put_number(out, "looked-ahead", r->looked_ahead);
  put_number(out, "schedules", r->schedules);
  if (r->every_schedule)
    put_number(out, "every-schedule", 1);
  put_number(out, "shortest", r->shortest);
  put_number(out, "longest", r->longest);
  put_number(out, "threads", r->threads);
  if (r->no_failures)
    put_number(out, "no-failures", 1);
  put_number(out, "stores", r->stores);
  put_number(out, "steps", r->steps);
  put_number(out, "peak-bytes", r->peak_bytes);
  put_number(out, "cpu-nanoseconds", nanoseconds(r->cpu_seconds));
  put_field(out, "eager-states", r->eager_states);
  put_field(out, "foreign", r->foreign);
  if (r->foreign_accesses)
    put_number(out, "foreign-accesses", r->foreign_accesses);
  for (size_t i = 0; i < r->fences.length; i++)
    put_place(out, "fence", &r->fences.data[i]);
  for (size_t i = 0; i < r->outcomes.length; i++) {
    put_field(out, "outcome", r->outcomes.data[i].text);
    put_number(out, "outcome-count", r->outcomes.data[i].count);
    put_field(out, "outcome-count-text", r->outcomes.data[i].count_text);
  }
  for (size_t i = 0; i < r->findings.length; i++)
    put_finding(out, &r->findings.data[i]);
  str_append(out, "end\n");
}

/* ---- reading ---- */

struct reader {
  char *field; /* rest of the line after the key; cut at tabs as it is read */
  bool bad;
  struct results *results;
  struct finding *finding;
  struct finding_load *load;
};

/* The next tab-separated part of the line, unescaped in place. */
static char *get_part(struct reader *r) {
  if (!r->field) {
    r->bad = true;
    return "";
  }
  char *begin = r->field, *to = begin, *p = begin;
  for (; *p && *p != '\t'; p++) {
    if (*p == '\\' && p[1]) {
      p++;
      *to++ = (char)(*p == 't' ? '\t' : *p == 'n' ? '\n' : *p);
    } else {
      *to++ = *p;
    }
  }
  r->field = *p ? p + 1 : NULL;
  *to = 0;
  return begin;
}

static char *get_text(struct reader *r) {
  const char *part = get_part(r);
  return *part ? mem_strdup(part) : NULL;
}

static void get_note(struct reader *r, struct results *x) {
  char *text = get_text(r);
  if (text)
    vec_push(&x->notes, text);
  r->bad = r->bad || !text;
}

static uint64_t get_number(struct reader *r) {
  const char *part = get_part(r);
  char *end;
  uint64_t n = strtoull(part, &end, 10);
  if (end == part || *end)
    r->bad = true;
  return n;
}

static int get_int(struct reader *r) {
  return (int)strtol(get_part(r), NULL, 10);
}

static struct place get_place(struct reader *r) {
  struct place p = {0};
  p.file = get_text(r);
  p.line = (uint32_t)get_number(r);
  p.column = (uint32_t)get_number(r);
  p.function = get_text(r);
  p.object = get_text(r);
  p.offset = get_number(r);
  return p;
}

static void read_finding(struct reader *r) {
  int kind = finding_kind_parse(get_part(r));
  r->bad |= kind < 0;
  struct finding f = {.kind = kind < 0 ? 0 : (enum finding_kind)kind};
  vec_push(&r->results->findings, f);
  r->finding = &vec_last(&r->results->findings);
  r->load = NULL;
}

static void read_variable(struct reader *r) {
  struct finding_variable v = {.address = get_number(r)};
  v.offset = get_number(r);
  v.object = get_text(r);
  vec_push(&r->finding->variables, v);
}

static void read_failure(struct reader *r) {
  struct finding_failure x = {0};
  x.execution = get_int(r);
  x.machine = get_int(r);
  x.point = (uint32_t)get_number(r);
  x.before = get_text(r);
  vec_push(&r->finding->failures, x);
}

static struct finding_turn read_turn(struct reader *r) {
  struct finding_turn t = {.execution = get_int(r)};
  t.thread = get_int(r);
  t.drain = get_number(r);
  t.what = get_text(r);
  return t;
}

static void read_load(struct reader *r) {
  struct finding_load l = {.address = get_number(r)};
  l.size = get_int(r);
  l.execution = get_int(r);
  l.region_offset = get_number(r);
  l.region = get_text(r);
  vec_push(&r->finding->loads, l);
  r->load = &vec_last(&r->finding->loads);
}

static void read_store(struct reader *r) {
  struct finding_store s = {.initial = get_number(r)};
  s.chosen = get_number(r);
  s.value = get_number(r);
  s.thread = get_int(r);
  s.machine = get_int(r);
  s.execution = get_int(r);
  vec_push(&r->load->stores, s);
}

static void read_part(struct reader *r) {
  int role = finding_role_parse(get_part(r));
  r->bad |= role < 0;
  struct finding_part p = {.role = role < 0 ? 0 : (enum finding_role)role};
  p.thread = get_int(r);
  p.execution = get_int(r);
  p.size = get_int(r);
  p.copied = get_number(r);
  p.region_offset = get_number(r);
  p.region = get_text(r);
  vec_push(&r->finding->parts, p);
}

static struct finding_window get_window(struct reader *r) {
  struct finding_window w = {.thread = get_int(r)};
  w.primary = get_number(r);
  w.flush = get_number(r);
  w.fence = get_number(r);
  return w;
}

static void read_case(struct reader *r) {
  struct finding_case c = {.before = get_number(r)};
  c.effort = get_number(r);
  c.hopeless = get_number(r);
  c.unsure = get_number(r);
  vec_push(&r->finding->prevention.cases, c);
}

/* The same for what would prevent it. */
static bool read_case_field(struct reader *r, const char *key) {
  struct finding_prevention *p = &r->finding->prevention;
  struct finding_case *c = p->cases.length ? &vec_last(&p->cases) : NULL;
  if (strcmp(key, "effort") == 0)
    p->effort = get_number(r);
  else if (strcmp(key, "looked-at") == 0)
    p->executions = get_number(r);
  else if (strcmp(key, "case") == 0)
    read_case(r);
  else if (!c)
    return false;
  else if (strcmp(key, "case-remedy") == 0)
    vec_push(&c->remedies, mem_strdup(get_part(r)));
  else if (strcmp(key, "case-text") == 0)
    c->text = get_text(r);
  else if (strcmp(key, "case-place") == 0)
    c->place = get_place(r);
  else if (strcmp(key, "case-window") == 0)
    c->window = get_window(r);
  else if (strcmp(key, "case-after") == 0)
    c->window.after = get_place(r);
  else if (strcmp(key, "case-before") == 0)
    c->window.before = get_place(r);
  else
    return false;
  return true;
}

/* The same for what analyses add. */
static bool read_analysis_field(struct reader *r, const char *key) {
  struct finding *f = r->finding;
  if (strcmp(key, "refutes") == 0)
    f->refutes = get_number(r);
  else if (strcmp(key, "part") == 0)
    read_part(r);
  else if (strcmp(key, "part-place") == 0 && f->parts.length)
    vec_last(&f->parts).place = get_place(r);
  else if (strcmp(key, "part-frame") == 0 && f->parts.length)
    vec_push(&vec_last(&f->parts).stack, get_place(r));
  else if (strcmp(key, "window") == 0)
    vec_push(&f->windows, get_window(r));
  else if (strcmp(key, "window-after") == 0 && f->windows.length)
    vec_last(&f->windows).after = get_place(r);
  else if (strcmp(key, "window-before") == 0 && f->windows.length)
    vec_last(&f->windows).before = get_place(r);
  else if (strcmp(key, "variable") == 0)
    read_variable(r);
  else if (strcmp(key, "identity") == 0)
    f->identity = get_text(r);
  else if (strcmp(key, "rank") == 0)
    f->rank = get_number(r);
  else
    return read_case_field(r, key);
  return true;
}

/* Fields of a finding; false if the key is none. */
static bool read_finding_field(struct reader *r, const char *key) {
  struct finding *f = r->finding;
  if (strcmp(key, "message") == 0)
    f->message = get_text(r);
  else if (strcmp(key, "said") == 0)
    f->said = get_text(r);
  else if (strcmp(key, "token") == 0)
    f->token = get_text(r);
  else if (strcmp(key, "where") == 0)
    f->execution = get_int(r), f->thread = get_int(r), f->machine = get_int(r);
  else if (strcmp(key, "count") == 0)
    f->count = get_number(r);
  else if (strcmp(key, "count-text") == 0)
    f->count_text = get_text(r);
  else if (strcmp(key, "place") == 0)
    f->place = get_place(r);
  else if (strcmp(key, "frame") == 0)
    vec_push(&f->stack, get_place(r));
  else if (strcmp(key, "failure") == 0)
    read_failure(r);
  else if (strcmp(key, "failure-place") == 0 && f->failures.length)
    vec_last(&f->failures).place = get_place(r);
  else if (strcmp(key, "failure-frame") == 0 && f->failures.length)
    vec_push(&vec_last(&f->failures).stack, get_place(r));
  else if (strcmp(key, "failure-own") == 0 && f->failures.length)
    vec_push(&vec_last(&f->failures).own, get_place(r));
  else if (strcmp(key, "failure-ended") == 0 && f->failures.length)
    vec_last(&f->failures).ended = get_number(r);
  else if (strcmp(key, "stand") == 0 && f->failures.length)
    vec_push(&vec_last(&f->failures).stands, read_turn(r));
  else if (strcmp(key, "turn") == 0)
    vec_push(&f->turns, read_turn(r));
  else if (strcmp(key, "turn-place") == 0 && f->turns.length)
    vec_last(&f->turns).place = get_place(r);
  else if (strcmp(key, "turn-frame") == 0 && f->turns.length)
    vec_push(&vec_last(&f->turns).stack, get_place(r));
  else if (strcmp(key, "turn-place") == 0 && f->failures.length &&
           vec_last(&f->failures).stands.length)
    vec_last(&vec_last(&f->failures).stands).place = get_place(r);
  else if (strcmp(key, "load") == 0)
    read_load(r);
  else if (strcmp(key, "load-place") == 0 && r->load)
    r->load->place = get_place(r);
  else if (strcmp(key, "store") == 0 && r->load)
    read_store(r);
  else if (strcmp(key, "store-place") == 0 && r->load && r->load->stores.length)
    vec_last(&r->load->stores).place = get_place(r);
  else if (strcmp(key, "store-unmade") == 0 && r->load && r->load->stores.length)
    vec_last(&r->load->stores).unmade = get_number(r);
  else if (strcmp(key, "fix") == 0)
    f->fix = get_text(r);
  else if (strcmp(key, "fix-place") == 0)
    f->fix_place = get_place(r);
  else
    return read_analysis_field(r, key);
  return true;
}

static bool read_results_field(struct reader *r, const char *key) {
  struct results *x = r->results;
  if (strcmp(key, "complete") == 0)
    x->complete = get_number(r);
  else if (strcmp(key, "incomplete-why") == 0)
    x->incomplete_why = get_text(r);
  else if (strcmp(key, "error") == 0)
    x->error = get_text(r);
  else if (strcmp(key, "error-frame") == 0)
    vec_push(&x->error_stack, get_place(r));
  else if (strcmp(key, "note") == 0)
    get_note(r, x);
  else if (strcmp(key, "executions") == 0)
    x->executions = get_number(r);
  else if (strcmp(key, "executions-text") == 0)
    x->executions_text = get_text(r);
  else if (strcmp(key, "estimate") == 0)
    x->estimate = get_number(r);
  else if (strcmp(key, "program-runs") == 0)
    x->program_runs = get_number(r);
  else if (strcmp(key, "failure-points") == 0)
    x->failure_points = get_number(r);
  else if (strcmp(key, "points-of-longest") == 0)
    x->points_of_longest = get_number(r) != 0;
  else if (strcmp(key, "looked-ahead") == 0)
    x->looked_ahead = get_number(r);
  else if (strcmp(key, "schedules") == 0)
    x->schedules = get_number(r);
  else if (strcmp(key, "every-schedule") == 0)
    x->every_schedule = get_number(r);
  else if (strcmp(key, "shortest") == 0)
    x->shortest = get_number(r);
  else if (strcmp(key, "longest") == 0)
    x->longest = get_number(r);
  else if (strcmp(key, "threads") == 0)
    x->threads = get_number(r);
  else if (strcmp(key, "no-failures") == 0)
    x->no_failures = get_number(r) != 0;
  else if (strcmp(key, "stores") == 0)
    x->stores = get_number(r);
  else if (strcmp(key, "steps") == 0)
    x->steps = get_number(r);
  else if (strcmp(key, "peak-bytes") == 0)
    x->peak_bytes = get_number(r);
  else if (strcmp(key, "cpu-nanoseconds") == 0)
    x->cpu_seconds = (double)get_number(r) / 1e9;
  else if (strcmp(key, "eager-states") == 0)
    x->eager_states = get_text(r);
  else if (strcmp(key, "foreign") == 0)
    x->foreign = get_text(r);
  else if (strcmp(key, "foreign-accesses") == 0)
    x->foreign_accesses = get_number(r);
  else if (strcmp(key, "fence") == 0)
    vec_push(&x->fences, get_place(r));
  else if (strcmp(key, "outcome") == 0)
    vec_push(&x->outcomes, ((struct outcome){.text = mem_strdup(get_part(r))}));
  else if (strcmp(key, "outcome-count") == 0 && x->outcomes.length)
    vec_last(&x->outcomes).count = get_number(r);
  else if (strcmp(key, "outcome-count-text") == 0 && x->outcomes.length)
    vec_last(&x->outcomes).count_text = get_text(r);
  else if (strcmp(key, "finding") == 0)
    read_finding(r);
  else
    return false;
  return true;
}

bool results_read(const char *text, struct results *results, struct str *error) {
  struct str copy = {0};
  str_append(&copy, text);
  struct reader r = {.results = results};
  bool ended = false, started = false;
  int number = 0;
  for (char *line = copy.data, *next; line && *line && !ended; line = next) {
    next = strchr(line, '\n');
    if (!next)
      break; /* cut off */
    *next++ = 0;
    number++;
    if (!started) {
      started = strcmp(line, HEADER) == 0;
      if (!started)
        break;
      continue;
    }
    ended = strcmp(line, "end") == 0;
    char *space = strchr(line, ' ');
    r.field = space ? space + 1 : NULL;
    if (space)
      *space = 0;
    if (!ended && !(r.finding && read_finding_field(&r, line)) && !read_results_field(&r, line))
      r.bad = true;
    if (r.bad)
      break;
  }
  str_free(&copy);
  if (r.bad || !ended)
    str_format(error, started ? "line %d is damaged or the end is missing" : "not a results file",
               number);
  return ended && !r.bad;
}
