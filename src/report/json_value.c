#include "report/json_value.h"
#include "base/check.h"
#include "report/utf8.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *json_value_text(const char *text) {
  if (!text)
    return json_null();
  struct str safe = {0};
  utf8_append(&safe, text, strlen(text));
  json_t *value = json_string(str_text(&safe));
  str_free(&safe);
  return value;
}

json_t *json_value_count(uint64_t n) {
  return json_integer((json_int_t)n);
}

json_t *json_value_hex(uint64_t n) {
  char text[24];
  snprintf(text, sizeof text, "0x%lx", (unsigned long)n);
  return json_string(text);
}

json_t *json_value_seconds(double seconds) {
  char microseconds[64];
  snprintf(microseconds, sizeof microseconds, "%.6f", seconds);
  return json_real(strtod(microseconds, NULL));
}

void json_value_put(json_t *object, const char *key, json_t *value) {
  CHECK(value && json_object_set_new(object, key, value) == 0, "JSON field %s", key);
}

void json_value_add(json_t *array, json_t *value) {
  CHECK(value && json_array_append_new(array, value) == 0, "JSON array");
}

void json_value_print(json_t *root, struct str *out) {
  char *text = json_dumps(root, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(12));
  CHECK(text, "cannot format JSON");
  str_append(out, text);
  str_append_char(out, '\n');
  free(text);
  json_decref(root);
}
