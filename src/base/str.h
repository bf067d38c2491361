/* A growing byte string on the base allocator, and a printf that needs no stdio.
 *
 * Always NUL-terminated once something was appended; str_text never returns NULL.  Zero
 * initialisation is a valid empty string. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdarg.h>
#include <stddef.h>

struct str {
  char *data;
  size_t length, capacity;
};

void str_append(struct str *s, const char *text);
void str_append_bytes(struct str *s, const void *bytes, size_t n);
void str_append_char(struct str *s, char c);

/* Knows %s %.*s %c %d %i %u %x %o %p %% with l, ll and z, field width, '0' and '-'. */
void str_format(struct str *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void str_format_v(struct str *s, const char *format, va_list args);

const char *str_text(const struct str *s);
void str_clear(struct str *s);                   /* keeps the storage */
void str_truncate(struct str *s, size_t length); /* pre: it is not shorter; the same */
void str_free(struct str *s);

#endif
