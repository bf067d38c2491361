#include "report/baseline.h"
#include "base/mem.h"
#include "report/file_text.h"
#include "report/report.h"
#include <jansson.h>
#include <string.h>

static void text_free(char *text) {
  if (text)
    mem_free(text, strlen(text) + 1);
}

static bool add_entries(struct baseline *b, const json_t *findings) {
  size_t i;
  json_t *item;
  json_array_foreach(findings, i, item) {
    const char *fingerprint = json_string_value(json_object_get(item, "fingerprint"));
    json_t *line = json_object_get(json_object_get(item, "location"), "line");
    if (!fingerprint)
      return false;
    struct baseline_entry x = {.fingerprint = mem_strdup(fingerprint),
                               .line = (uint32_t)json_integer_value(line)};
    vec_push(&b->list, x);
  }
  return true;
}

bool baseline_parse(struct baseline *b, const char *path, const char *text, size_t length,
                    struct str *error) {
  json_error_t where;
  b->path = mem_strdup(path);
  json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &where);
  json_t *findings = json_object_get(root, "findings");
  bool ok = false;
  if (!root)
    str_format(error, "%s: not a tidemark report: line %d, column %d is not JSON", path, where.line,
               where.column);
  else if (!json_is_array(findings))
    str_format(error, "%s: not a tidemark report (tidemark check --json=FILE writes one)", path);
  else if (json_is_string(json_object_get(root, "error")))
    str_format(error, "%s: the program could not be checked when it was written: %s", path,
               json_string_value(json_object_get(root, "error")));
  else if (!add_entries(b, findings) || !add_entries(b, json_object_get(root, "silenced")))
    str_format(error, "%s: a finding in it has no fingerprint", path);
  else
    ok = true;
  json_decref(root);
  return ok;
}

bool baseline_read(struct baseline *b, const char *path, struct str *error) {
  struct str text = {0};
  bool ok = file_text_read(path, &text, error) &&
            baseline_parse(b, path, str_text(&text), text.length, error);
  str_free(&text);
  return ok;
}

void baseline_free(struct baseline *b) {
  for (size_t i = 0; i < b->list.length; i++)
    text_free(b->list.data[i].fingerprint);
  vec_free(&b->list);
  text_free(b->path);
  *b = (struct baseline){0};
}

static bool match(struct baseline *b, const struct finding *f, bool same_line) {
  struct str fingerprint = {0};
  bool found = false;
  finding_fingerprint(f, &fingerprint);
  for (size_t i = 0; i < b->list.length && !found; i++) {
    struct baseline_entry *x = &b->list.data[i];
    found = !x->matched && strcmp(x->fingerprint, str_text(&fingerprint)) == 0 &&
            (!same_line || x->line == finding_place(f)->line);
    x->matched |= found;
  }
  str_free(&fingerprint);
  return found;
}

void baseline_match(struct baseline *b, const struct finding *findings, size_t count, bool *known) {
  for (size_t i = 0; i < count; i++)
    known[i] = match(b, &findings[i], true);
  for (size_t i = 0; i < count; i++)
    known[i] = known[i] || match(b, &findings[i], false);
}
