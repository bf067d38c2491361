#include "report/sarif.h"
#include "report/conclusion.h"
#include "report/json_value.h"
#include "report/part_text.h"
#include "report/utf8.h"
#include <string.h>

#define SCHEMA \
  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
#define ROOT "SRCROOT"

#define put json_value_put
#define add json_value_add

static json_t *message(const char *text) {
  json_t *o = json_object();
  put(o, "text", json_value_text(text));
  return o;
}

/* ---- where ---- */

static void append_uri(const char *path, struct str *out) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                              "-_.~/+,=@";
  for (; *path; path++) {
    if (strchr(plain, *path))
      str_append_char(out, *path);
    else
      str_format(out, "%%%02x", (unsigned char)*path);
  }
}

/* Relative to where the check was made, if it is below: then the report fits other checkouts. */
static json_t *artifact(const struct report *r, const char *file) {
  json_t *o = json_object();
  struct str uri = {0};
  const char *root = r->run->directory;
  size_t n = root ? strlen(root) : 0;
  bool below = file[0] != '/' || (n && strncmp(file, root, n) == 0 && file[n] == '/');
  if (!below)
    str_append(&uri, "file://");
  append_uri(below && file[0] == '/' ? file + n + 1 : file, &uri);
  put(o, "uri", json_value_text(str_text(&uri)));
  if (below)
    put(o, "uriBaseId", json_value_text(ROOT));
  str_free(&uri);
  return o;
}

/* Our columns count bytes.  Without the line nobody knows how many units they are: 0. */
static size_t utf16_column(const struct report *r, const struct place *p) {
  size_t length;
  const char *line = sources_line(r->sources, p->file, p->line, &length);
  return line && p->column && p->column <= length + 1 ? utf8_utf16_units(line, p->column - 1) + 1
                                                      : 0;
}

static json_t *location(const struct report *r, const struct place *p, const char *text) {
  json_t *o = json_object();
  if (p->file) {
    json_t *physical = json_object();
    put(physical, "artifactLocation", artifact(r, p->file));
    if (p->line) {
      json_t *region = json_object();
      put(region, "startLine", json_value_count(p->line));
      size_t column = utf16_column(r, p);
      if (column)
        put(region, "startColumn", json_value_count(column));
      put(physical, "region", region);
    }
    put(o, "physicalLocation", physical);
  }
  if (p->function) {
    json_t *logical = json_object(), *list = json_array();
    put(logical, "name", json_value_text(p->function));
    put(logical, "kind", json_value_text("function"));
    add(list, logical);
    put(o, "logicalLocations", list);
  }
  if (text)
    put(o, "message", message(text));
  return o;
}

/* ---- results ---- */

static json_t *stack(const struct report *r, const place_list *places, const char *whose) {
  json_t *frames = json_array(), *o = json_object();
  put(o, "message", message(whose));
  for (size_t i = 0; i < places->length; i++) {
    json_t *frame = json_object();
    put(frame, "location", location(r, &places->data[i], NULL));
    add(frames, frame);
  }
  put(o, "frames", frames);
  return o;
}

static json_t *stacks(const struct report *r, const struct finding *f) {
  json_t *list = json_array();
  if (f->stack.length)
    add(list, stack(r, &f->stack, "where it went wrong"));
  for (size_t i = 0; i < f->failures.length; i++)
    if (f->failures.data[i].stack.length)
      add(list, stack(r, &f->failures.data[i].stack, "where the failure was injected"));
  return list;
}

static json_t *add_step(const struct report *r, json_t *steps, const struct place *p,
                        const char *text, const char *importance) {
  json_t *o = json_object();
  put(o, "location", location(r, p, text));
  put(o, "importance", json_value_text(importance));
  put(o, "executionOrder", json_value_count(json_array_size(steps) + 1));
  add(steps, o);
  return o;
}

/* Do its parts say all that happened? */
static bool is_story(const struct finding *f) {
  return f->kind == FINDING_ROBUSTNESS || f->kind == FINDING_PERSISTENCY_RACE;
}

/* Those after so many failures. */
static void add_part_steps(const struct report *r, json_t *steps, const struct finding *f,
                           int execution) {
  struct str text = {0};
  for (size_t i = 0; i < f->parts.length; i++) {
    const struct finding_part *p = &f->parts.data[i];
    if (!is_story(f) || p->execution != execution)
      continue;
    str_clear(&text);
    part_text(p, &text);
    json_t *o = add_step(r, steps, &p->place, str_text(&text), "essential");
    if (p->stack.length > 1)
      put(o, "stack", stack(r, &p->stack, str_text(&text)));
  }
  str_free(&text);
}

static void add_load_steps(const struct report *r, json_t *steps, const struct finding_load *l) {
  struct str text = {0};
  for (size_t i = 0; i < l->stores.length; i++) {
    if (store_fate(l, i) != STORE_LOST)
      continue;
    str_clear(&text);
    str_format(&text, "this store of 0x%lx is lost", (unsigned long)l->stores.data[i].value);
    add_step(r, steps, &l->stores.data[i].place, str_text(&text), "important");
  }
  str_clear(&text);
  str_append(&text, "load at ");
  load_address_text(l, &text);
  for (size_t i = 0; i < l->stores.length; i++)
    if (l->stores.data[i].chosen)
      str_format(&text, " reads 0x%lx%s", (unsigned long)l->stores.data[i].value,
                 l->stores.data[i].initial ? ", the initial contents" : "");
  add_step(r, steps, &l->place, str_text(&text), load_is_stale(l) ? "important" : "unimportant");
  str_free(&text);
}

static json_t *code_flows(const struct report *r, const struct finding *f) {
  json_t *steps = json_array(), *thread = json_object(), *threads = json_array();
  json_t *flow = json_object(), *list = json_array();
  struct str text = {0};
  add_part_steps(r, steps, f, 0);
  for (size_t i = 0; i < f->failures.length; i++) {
    const struct finding_failure *x = &f->failures.data[i];
    str_clear(&text);
    str_format(&text, "failure before %s", x->before ? x->before : "this point");
    add_step(r, steps, &x->place, str_text(&text), "essential");
    add_part_steps(r, steps, f, (int)i + 1);
  }
  for (size_t i = 0; i < f->loads.length && !is_story(f); i++)
    add_load_steps(r, steps, &f->loads.data[i]);
  str_clear(&text);
  finding_headline(f, &text);
  if (!is_story(f))
    add_step(r, steps, finding_place(f), str_text(&text), "essential");
  str_free(&text);
  put(thread, "locations", steps);
  add(threads, thread);
  put(flow, "threadFlows", threads);
  add(list, flow);
  return list;
}

static json_t *related(const struct report *r, const struct finding *f) {
  json_t *list = json_array();
  for (size_t i = 0; i < f->failures.length; i++)
    if (f->failures.data[i].place.file)
      add(list, location(r, &f->failures.data[i].place, "the failure was injected here"));
  struct str text = {0};
  for (size_t i = 0; i < f->parts.length; i++)
    if (part_place(&f->parts.data[i])->file) {
      str_clear(&text);
      part_text(&f->parts.data[i], &text);
      add(list, location(r, part_place(&f->parts.data[i]), str_text(&text)));
    }
  str_free(&text);
  if (f->fix && f->fix_place.file)
    add(list, location(r, &f->fix_place, f->fix));
  return list;
}

static json_t *result(const struct report *r, const struct finding *f) {
  json_t *o = json_object(), *list = json_array(), *prints = json_object();
  json_t *properties = json_object();
  struct str text = {0}, line = {0};
  const char *label;
  finding_headline(f, &text);
  if (f->fix)
    str_format(&text, ". %s: %s", place_known(&f->fix_place) ? "Likely fix" : "What to look at",
               f->fix);
  for (size_t i = 0; fix_line_text(f, i, &label, &line); i++)
    str_format(&text, "; %s: %s", label, str_text(&line));
  str_free(&line);
  put(o, "ruleId", json_value_text(finding_kind_text(f->kind)));
  put(o, "ruleIndex", json_value_count(f->kind));
  put(o, "level", json_value_text(finding_level(f)));
  put(o, "message", message(str_text(&text)));
  if (place_known(finding_place(f)))
    add(list, location(r, finding_place(f), NULL));
  put(o, "locations", list);
  str_clear(&text);
  finding_fingerprint(f, &text);
  put(prints, "tidemark/v1", json_value_text(str_text(&text)));
  put(o, "partialFingerprints", prints);
  if (f->count)
    put(o, "occurrenceCount", json_value_count(f->count));
  put(o, "stacks", stacks(r, f));
  put(o, "codeFlows", code_flows(r, f));
  put(o, "relatedLocations", related(r, f));
  if (finding_token(f))
    put(properties, "replay", json_value_text(finding_token(f)));
  put(o, "properties", properties);
  str_free(&text);
  return o;
}

static json_t *new_result(const struct report *r, const struct finding *f) {
  json_t *o = result(r, f);
  if (r->baseline)
    put(o, "baselineState", json_value_text("new"));
  return o;
}

static json_t *silenced_result(const struct report *r, const struct silenced *x) {
  json_t *o = result(r, &x->finding), *suppression = json_object(), *list = json_array();
  struct str text = {0};
  if (r->baseline)
    put(o, "baselineState", json_value_text(x->baseline ? "unchanged" : "new"));
  str_format(&text, "silenced by %s", x->by);
  put(suppression, "kind", json_value_text("external"));
  put(suppression, "justification", json_value_text(str_text(&text)));
  add(list, suppression);
  put(o, "suppressions", list);
  str_free(&text);
  return o;
}

/* ---- the run ---- */

static json_t *driver(const struct report *r) {
  json_t *o = json_object(), *rules = json_array(), *tool = json_object();
  put(o, "name", json_value_text("tidemark"));
  put(o, "version", json_value_text(r->version));
  for (int k = 0; k < FINDING_KINDS; k++) {
    json_t *rule = json_object();
    struct finding of_kind = {.kind = (enum finding_kind)k};
    struct str text = {0};
    finding_headline(&of_kind, &text);
    put(rule, "id", json_value_text(finding_kind_text(k)));
    put(rule, "shortDescription", message(str_text(&text)));
    add(rules, rule);
    str_free(&text);
  }
  put(o, "rules", rules);
  put(tool, "driver", o);
  return tool;
}

static json_t *notification(const char *level, const char *text) {
  json_t *o = json_object();
  put(o, "level", json_value_text(level));
  put(o, "message", message(text));
  return o;
}

static void add_verdict(json_t *list, const struct report *r) {
  const struct results *x = r->results;
  struct str text = {0}, rest = {0};
  report_verdict(r, &text, &rest);
  str_append(&text, str_text(&rest));
  json_t *o = notification(x->error ? "error" : "warning", str_text(&text));
  if (x->error_stack.length) {
    json_t *places = json_array();
    add(places, location(r, &x->error_stack.data[0], NULL));
    put(o, "locations", places);
  }
  add(list, o);
  str_free(&text);
  str_free(&rest);
}

static json_t *invocation(const struct report *r) {
  const struct results *x = r->results;
  json_t *o = json_object(), *list = json_array(), *notes = json_array();
  struct str command = {0};
  str_append(&command, "tidemark check");
  report_options(r->run, &command);
  put(o, "commandLine", json_value_text(str_text(&command)));
  put(o, "executionSuccessful", json_boolean(x->complete && !x->error));
  put(o, "exitCode", json_integer(report_exit_status(r)));
  if (!x->complete || x->error)
    add_verdict(notes, r);
  for (size_t i = 0; i < r->notes.length; i++)
    add(notes, notification("note", r->notes.data[i]));
  put(o, "toolExecutionNotifications", notes);
  str_free(&command);
  add(list, o);
  return list;
}

static json_t *uri_bases(const struct report *r) {
  json_t *o = json_object(), *base = json_object();
  struct str uri = {0};
  str_append(&uri, "file://");
  append_uri(r->run->directory ? r->run->directory : "", &uri);
  str_append_char(&uri, '/');
  put(base, "uri", json_value_text(str_text(&uri)));
  put(o, ROOT, base);
  str_free(&uri);
  return o;
}

void report_sarif(const struct report *r, struct str *out) {
  json_t *o = json_object(), *run = json_object(), *runs = json_array(), *list = json_array();
  put(o, "$schema", json_value_text(SCHEMA));
  put(o, "version", json_value_text("2.1.0"));
  put(run, "tool", driver(r));
  put(run, "invocations", invocation(r));
  put(run, "originalUriBaseIds", uri_bases(r));
  put(run, "columnKind", json_value_text("utf16CodeUnits"));
  for (size_t i = 0; i < r->results->findings.length; i++)
    add(list, new_result(r, &r->results->findings.data[i]));
  for (size_t i = 0; i < r->silenced.length; i++)
    add(list, silenced_result(r, &r->silenced.data[i]));
  put(run, "results", list);
  add(runs, run);
  put(o, "runs", runs);
  json_value_print(o, out);
}
