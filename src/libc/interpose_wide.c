/* Strings of wide characters, which std::wstring is made of: what they do to memory are steps of the thread that calls
 * them, as with those of bytes (access/entry_string.c). */
#include "libc/memory.h"
#include "process/caller.h"
#include "thread/entered.h"
#include <stdint.h>
#include <string.h>
#include <wchar.h>

#define WIDE(n) ((n) * sizeof(wchar_t))

static wchar_t at(const wchar_t *p) {
  wchar_t c;
  memory_take(&c, p, sizeof c);
  return c;
}

static void put(wchar_t *to, wchar_t c) {
  memory_give(to, &c, sizeof c);
}

/* Both where it ends, or where there is no more room. */
static size_t length(const wchar_t *text, size_t most) {
  size_t n = 0;
  while (n < most && at(text + n))
    n++;
  return n;
}

static void copy(wchar_t *to, const wchar_t *from, size_t n) {
  access_copy((uintptr_t)to, (uintptr_t)from, WIDE(n), ACCESS_PLAIN, NULL);
}

static int compare(const wchar_t *a, const wchar_t *b, size_t n, bool texts) {
  for (size_t i = 0; i < n; i++) {
    wchar_t of_a = at(a + i), of_b = at(b + i);
    if (of_a != of_b)
      return of_a < of_b ? -1 : 1;
    if (texts && !of_a)
      break;
  }
  return 0;
}

static wchar_t *find(const wchar_t *p, wchar_t c, size_t n, bool text) {
  for (size_t i = 0; i < n; i++) {
    wchar_t found = at(p + i);
    if (found == c)
      return (wchar_t *)p + i;
    if (text && !found)
      break;
  }
  return NULL;
}

#define DEFINE_COPY(name) \
  INTERPOSE wchar_t *name(wchar_t *to, const wchar_t *from, size_t n) { \
    ENTERED(); \
    if (!MEMORY_CHANGES(to)) \
      return REAL(name)(to, from, n); \
    copy(to, from, n); \
    return to; \
  }
DEFINE_COPY(wmemcpy)
DEFINE_COPY(wmemmove)

INTERPOSE wchar_t *wmempcpy(wchar_t *to, const wchar_t *from, size_t n) {
  ENTERED();
  if (!MEMORY_CHANGES(to))
    return REAL(wmempcpy)(to, from, n);
  copy(to, from, n);
  return to + n;
}

INTERPOSE wchar_t *wmemset(wchar_t *to, wchar_t c, size_t n) {
  ENTERED();
  if (!MEMORY_CHANGES(to))
    return REAL(wmemset)(to, c, n);
  for (size_t i = 0; i < n; i++)
    put(to + i, c);
  return to;
}

INTERPOSE int wmemcmp(const wchar_t *a, const wchar_t *b, size_t n) {
  ENTERED();
  return MEMORY_CONCERNS() ? compare(a, b, n, false) : REAL(wmemcmp)(a, b, n);
}

INTERPOSE int wcscmp(const wchar_t *a, const wchar_t *b) {
  ENTERED();
  return MEMORY_CONCERNS() ? compare(a, b, SIZE_MAX, true) : REAL(wcscmp)(a, b);
}

INTERPOSE int wcsncmp(const wchar_t *a, const wchar_t *b, size_t n) {
  ENTERED();
  return MEMORY_CONCERNS() ? compare(a, b, n, true) : REAL(wcsncmp)(a, b, n);
}

INTERPOSE wchar_t *wmemchr(const wchar_t *p, wchar_t c, size_t n) {
  ENTERED();
  return MEMORY_CONCERNS() ? find(p, c, n, false) : REAL(wmemchr)(p, c, n);
}

INTERPOSE wchar_t *wcschr(const wchar_t *text, wchar_t c) {
  ENTERED();
  return MEMORY_CONCERNS() ? find(text, c, SIZE_MAX, true) : REAL(wcschr)(text, c);
}

INTERPOSE size_t wcslen(const wchar_t *text) {
  ENTERED();
  return MEMORY_CONCERNS() ? length(text, SIZE_MAX) : REAL(wcslen)(text);
}

INTERPOSE size_t wcsnlen(const wchar_t *text, size_t most) {
  ENTERED();
  return MEMORY_CONCERNS() ? length(text, most) : REAL(wcsnlen)(text, most);
}

INTERPOSE wchar_t *wcscpy(wchar_t *to, const wchar_t *from) {
  ENTERED();
  if (!MEMORY_CHANGES(to))
    return REAL(wcscpy)(to, from);
  copy(to, from, length(from, SIZE_MAX) + 1);
  return to;
}

INTERPOSE wchar_t *wcscat(wchar_t *to, const wchar_t *from) {
  ENTERED();
  if (!MEMORY_CHANGES(to))
    return REAL(wcscat)(to, from);
  copy(to + length(to, SIZE_MAX), from, length(from, SIZE_MAX) + 1);
  return to;
}

INTERPOSE wchar_t *wcsncpy(wchar_t *to, const wchar_t *from, size_t n) {
  ENTERED();
  if (!MEMORY_CHANGES(to))
    return REAL(wcsncpy)(to, from, n);
  size_t used = length(from, n);
  copy(to, from, used);
  while (used < n)
    put(to + used++, 0);
  return to;
}
