#include "base/str.h"
#include "base/mem.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

void str_append_bytes(struct str *s, const void *bytes, size_t n) {
  if (s->length + n + 1 > s->capacity) {
    size_t capacity = s->capacity ? s->capacity * 2 : 64;
    while (capacity < s->length + n + 1)
      capacity *= 2;
    s->data = mem_resize(s->data, s->capacity, capacity);
    s->capacity = capacity;
  }
  if (n)
    memcpy(s->data + s->length, bytes, n);
  s->length += n;
  s->data[s->length] = 0;
}

void str_append(struct str *s, const char *text) {
  str_append_bytes(s, text, strlen(text));
}

void str_append_char(struct str *s, char c) {
  str_append_bytes(s, &c, 1);
}

struct spec {
  bool left, zero;
  int width, precision; /* precision -1: none */
  int longs;            /* 0 int, 1 long, 2 long long or size_t */
};

static void append_padded(struct str *s, const struct spec *spec, const char *text, size_t n,
                          char pad) {
  size_t width = spec->width > 0 ? (size_t)spec->width : 0;
  if (!spec->left)
    for (size_t i = n; i < width; i++)
      str_append_char(s, pad);
  str_append_bytes(s, text, n);
  if (spec->left)
    for (size_t i = n; i < width; i++)
      str_append_char(s, ' ');
}

static void append_number(struct str *s, const struct spec *spec, uint64_t value, bool negative,
                          unsigned base) {
  char digits[32];
  size_t at = sizeof digits;
  do
    digits[--at] = "0123456789abcdef"[value % base];
  while ((value /= base) > 0);
  if (negative)
    digits[--at] = '-';
  append_padded(s, spec, digits + at, sizeof digits - at, spec->zero && !spec->left ? '0' : ' ');
}

static const char *parse_spec(const char *p, struct spec *spec, va_list *args) {
  *spec = (struct spec){.precision = -1};
  for (;; p++) {
    if (*p == '-')
      spec->left = true;
    else if (*p == '0')
      spec->zero = true;
    else
      break;
  }
  for (; *p >= '0' && *p <= '9'; p++)
    spec->width = spec->width * 10 + (*p - '0');
  if (*p == '*') {
    spec->width = va_arg(*args, int);
    p++;
  }
  if (*p == '.') {
    p++;
    spec->precision = 0;
    if (*p == '*') {
      spec->precision = va_arg(*args, int);
      p++;
    }
    for (; *p >= '0' && *p <= '9'; p++)
      spec->precision = spec->precision * 10 + (*p - '0');
  }
  for (; *p == 'l' || *p == 'z'; p++)
    spec->longs += *p == 'z' ? 2 : 1;
  return p;
}

static void append_signed(struct str *s, const struct spec *spec, va_list *args) {
  int64_t v = spec->longs ? va_arg(*args, long long) : va_arg(*args, int);
  append_number(s, spec, v < 0 ? -(uint64_t)v : (uint64_t)v, v < 0, 10);
}

static void append_text(struct str *s, const struct spec *spec, const char *text) {
  if (!text)
    text = "(null)";
  size_t n = 0;
  while ((spec->precision < 0 || n < (size_t)spec->precision) && text[n])
    n++;
  append_padded(s, spec, text, n, ' ');
}

void str_format_v(struct str *s, const char *format, va_list outer) {
  va_list args;
  va_copy(args, outer);
  for (const char *p = format; *p; p++) {
    if (*p != '%') {
      str_append_char(s, *p);
      continue;
    }
    struct spec spec;
    p = parse_spec(p + 1, &spec, &args);
    switch (*p) {
    case 'd':
    case 'i':
      append_signed(s, &spec, &args);
      break;
    case 'u':
    case 'x':
    case 'o':
      append_number(s, &spec,
                    spec.longs ? va_arg(args, unsigned long long) : va_arg(args, unsigned), false,
                    *p == 'x'   ? 16
                    : *p == 'o' ? 8
                                : 10);
      break;
    case 'p':
      str_append(s, "0x");
      append_number(s, &spec, (uintptr_t)va_arg(args, void *), false, 16);
      break;
    case 'c':
      str_append_char(s, (char)va_arg(args, int));
      break;
    case 's':
      append_text(s, &spec, va_arg(args, const char *));
      break;
    case '%':
      str_append_char(s, '%');
      break;
    case 0:
      p--;
      break;
    default:
      str_append_char(s, *p);
    }
  }
  va_end(args);
}

void str_format(struct str *s, const char *format, ...) {
  va_list args;
  va_start(args, format);
  str_format_v(s, format, args);
  va_end(args);
}

const char *str_text(const struct str *s) {
  return s->data ? s->data : "";
}

void str_clear(struct str *s) {
  str_truncate(s, 0);
}

void str_truncate(struct str *s, size_t length) {
  s->length = length;
  if (s->data)
    s->data[length] = 0;
}

void str_free(struct str *s) {
  mem_free(s->data, s->capacity);
  *s = (struct str){0};
}
