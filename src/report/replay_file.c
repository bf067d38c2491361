#include "report/replay_file.h"
#include "base/mem.h"
#include "finding/finding.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static char *copy_string(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? mem_strdup(text) : NULL;
}

static bool read_option(struct run *r, const char *name, json_t *value, struct str *error) {
  size_t i;
  json_t *item;
  if (json_is_true(value)) {
    run_add_option(r, name, NULL);
  } else if (json_is_string(value)) {
    run_add_option(r, name, json_string_value(value));
  } else if (json_is_array(value)) {
    json_array_foreach(value, i, item) {
      if (!read_option(r, name, item, error))
        return false;
    }
  } else {
    str_format(error, "the option '%s' in it is damaged", name);
    return false;
  }
  return true;
}

static uint64_t read_hash(const json_t *object, const char *key) {
  const char *hash = json_string_value(json_object_get(object, key));
  return hash ? strtoull(hash, NULL, 16) : 0;
}

static bool read_run(json_t *object, struct run *r, struct str *error) {
  const char *name;
  json_t *value;
  size_t i;
  r->program = copy_string(object, "program");
  r->directory = copy_string(object, "directory");
  r->recover = copy_string(object, "recover");
  r->model = copy_string(object, "model");
  r->program_hash = read_hash(object, "program_hash");
  json_t *input = json_object_get(object, "input");
  r->input_hash = read_hash(input, "hash");
  r->input_bytes = (uint64_t)json_integer_value(json_object_get(input, "bytes"));
  json_t *arguments = json_object_get(object, "arguments");
  json_t *options = json_object_get(object, "options");
  if (!r->program || !json_is_array(arguments) || !json_is_object(options)) {
    str_append(error, "it does not say which program was checked (program, arguments, options)");
    return false;
  }
  json_array_foreach(arguments, i, value) {
    if (!json_is_string(value)) {
      str_append(error, "the arguments in it are damaged");
      return false;
    }
    vec_push(&r->arguments, mem_strdup(json_string_value(value)));
  }
  json_object_foreach(options, name, value) {
    if (!read_option(r, name, value, error))
      return false;
  }
  return true;
}

static bool read_finding(json_t *finding, struct replay_file *out, struct str *error) {
  out->token = copy_string(finding, "replay");
  out->kind = copy_string(finding, "kind");
  out->message = copy_string(finding, "message");
  out->fingerprint = copy_string(finding, "fingerprint");
  if (out->token)
    return true;
  int kind = out->kind ? finding_kind_parse(out->kind) : -1;
  str_append(error,
             finding_kind_is_of_all(kind)
                 ? "the finding is about all executions, so there is none to replay: check again"
                 : "the finding has no replay token");
  return false;
}

static bool read_report(json_t *report, size_t number, struct replay_file *out, struct str *error) {
  json_t *findings = json_object_get(report, "findings");
  size_t count = json_array_size(findings);
  if (count == 0) {
    str_append(error, "the report has no findings, so there is nothing to replay");
    return false;
  }
  if (number > count) {
    str_format(error, "there is no finding %zu, the report has %zu", number, count);
    return false;
  }
  return read_run(report, &out->run, error) &&
         read_finding(json_array_get(findings, number - 1), out, error);
}

bool replay_file_read(const char *text, size_t length, size_t number, struct replay_file *out,
                      struct str *error) {
  json_error_t where;
  *out = (struct replay_file){0};
  if (length == 0) {
    str_append(error, "the file is empty");
    return false;
  }
  json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &where);
  bool ok = false;
  if (!root) {
    bool cut = json_error_code(&where) == json_error_premature_end_of_input;
    if (cut)
      str_format(error, "the file is cut off at line %d (JSON ends too early)", where.line);
    else
      str_format(error, "not a tidemark report: line %d, column %d is not JSON", where.line,
                 where.column);
  } else if (json_is_array(json_object_get(root, "findings"))) {
    ok = read_report(root, number, out, error);
  } else if (json_object_get(root, "replay")) {
    ok = read_run(json_object_get(root, "run"), &out->run, error) && read_finding(root, out, error);
  } else {
    str_append(error, "not a tidemark report and not a finding of one");
  }
  json_decref(root);
  if (!ok)
    replay_file_free(out);
  return ok;
}

static void text_free(char *text) {
  if (text)
    mem_free(text, strlen(text) + 1);
}

void replay_file_free(struct replay_file *f) {
  run_free(&f->run);
  text_free(f->token);
  text_free(f->kind);
  text_free(f->message);
  text_free(f->fingerprint);
  *f = (struct replay_file){0};
}
