/* Building JSON with jansson: any text is accepted, and running out of memory is fatal. */
#ifndef REPORT_JSON_VALUE_H
#define REPORT_JSON_VALUE_H

#include "base/str.h"
#include <jansson.h>
#include <stdint.h>

json_t *json_value_text(const char *text); /* NULL: null.  Bytes that are not UTF-8: U+FFFD */
json_t *json_value_count(uint64_t n);
json_t *json_value_hex(uint64_t n); /* "0x2a": JSON numbers stop at 2^53 */
json_t *json_value_seconds(double seconds);

/* Both take over `value`. */
void json_value_put(json_t *object, const char *key, json_t *value);
void json_value_add(json_t *array, json_t *value);

/* Indented, fields in the order they were put; releases `root`. */
void json_value_print(json_t *root, struct str *out);

#endif
