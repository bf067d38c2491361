/* Hooks for memory and string functions: on ordinary memory libc's own, on watched memory a
 * sequence of accesses like any other. */
#include "access/access.h"
#include "access/lifetime.h"
#include "access/ordinary.h"
#include "access/schedule.h"
#include "access/vain.h"
#include "base/mem.h"
#include "event/window.h"
#include "process/layout.h"
#include "process/stop.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define EXPORT __attribute__((visibility("default")))
#define SITE const struct abi_site *site

static bool watched(const void *p) {
  return window_has((uintptr_t)p) || ordinary_concerns();
}

static unsigned char byte_at(const void *p, SITE) {
  return watched(p) ? access_byte((uintptr_t)p, site) : *(const unsigned char *)p;
}

/* Ordinary memory: no operation, but the thread is no longer where it was (vain.h). */
static void changes(void *to) {
  if (vain_begun)
    schedule_leave_round((uintptr_t)to);
}

static void put_bytes(void *to, const void *from, size_t n, SITE) {
  if (watched(to)) {
    access_write((uintptr_t)to, from, n, ACCESS_PLAIN, site);
    return;
  }
  changes(to);
  memcpy(to, from, n);
}

/* A size that was computed below zero: no processor gets to the end of that, but it would take for ever here. */
static void check_size(const void *to, size_t n, SITE) {
  if (n >= LAYOUT_KERNEL_END)
    stop_at(STOP_SEGFAULT, (uintptr_t)to, site,
            "segmentation fault: %zu bytes%s are to be written, more than there is memory", n,
            (ssize_t)n < 0 ? " (a size below zero)" : "");
}

EXPORT void __tidemark_check_room(size_t bytes, size_t room, SITE) {
  if (bytes > room)
    stop_at(STOP_ABORT, 0, site,
            "buffer overflow detected: %zu bytes are to be written where there is room for %zu",
            bytes, room);
}

/* libc itself is about to do it, because there is only one thread. */
static void check_reach(enum operation_kind kind, const void *p, size_t n, SITE) {
  if (n && ordinary_runs())
    lifetime_check_reach(kind, (uintptr_t)p + n - 1, site);
}

EXPORT void *__tidemark_memmove(void *to, const void *from, size_t n, SITE) {
  check_size(to, n, site);
  if (!watched(to))
    changes(to);
  if (!watched(to) && !watched(from)) {
    check_reach(OPERATION_READ, from, n, site);
    check_reach(OPERATION_WRITE, to, n, site);
    return memmove(to, from, n);
  }
  if (!watched(from)) {
    access_write((uintptr_t)to, from, n, ACCESS_PLAIN, site);
  } else if (!watched(to)) {
    access_read(to, (uintptr_t)from, n, site);
  } else {
    access_copy((uintptr_t)to, (uintptr_t)from, n, ACCESS_PLAIN, site);
  }
  return to;
}

EXPORT void *__tidemark_memcpy(void *to, const void *from, size_t n, SITE) {
  return __tidemark_memmove(to, from, n, site);
}

EXPORT void *__tidemark_mempcpy(void *to, const void *from, size_t n, SITE) {
  return (char *)__tidemark_memmove(to, from, n, site) + n;
}

EXPORT void __tidemark_bcopy(const void *from, void *to, size_t n, SITE) {
  __tidemark_memmove(to, from, n, site);
}

EXPORT void *__tidemark_memset(void *to, int byte, size_t n, SITE) {
  check_size(to, n, site);
  if (!watched(to)) {
    changes(to);
    check_reach(OPERATION_WRITE, to, n, site);
    return memset(to, byte, n);
  }
  unsigned char block[LINE_BYTES];
  memset(block, byte, sizeof block);
  for (size_t done = 0; done < n;) {
    size_t room = LINE_BYTES - ((uintptr_t)to + done) % LINE_BYTES;
    size_t part = n - done < room ? n - done : room;
    access_write((uintptr_t)to + done, block, part, ACCESS_PLAIN, site);
    done += part;
  }
  return to;
}

EXPORT void __tidemark_bzero(void *to, size_t n, SITE) {
  __tidemark_memset(to, 0, n, site);
}

EXPORT void *__tidemark_memccpy(void *to, const void *from, int byte, size_t n, SITE) {
  for (size_t i = 0; i < n; i++) {
    unsigned char c = byte_at((const char *)from + i, site);
    put_bytes((char *)to + i, &c, 1, site);
    if (c == (unsigned char)byte)
      return (char *)to + i + 1;
  }
  return NULL;
}

EXPORT int __tidemark_memcmp(const void *a, const void *b, size_t n, SITE) {
  if (!watched(a) && !watched(b))
    return memcmp(a, b, n);
  for (size_t i = 0; i < n; i++) {
    int x = byte_at((const char *)a + i, site), y = byte_at((const char *)b + i, site);
    if (x != y)
      return x - y;
  }
  return 0;
}

EXPORT int __tidemark_bcmp(const void *a, const void *b, size_t n, SITE) {
  return __tidemark_memcmp(a, b, n, site);
}

EXPORT void *__tidemark_memchr(const void *p, int byte, size_t n, SITE) {
  if (!watched(p))
    return memchr(p, byte, n);
  for (size_t i = 0; i < n; i++)
    if (byte_at((const char *)p + i, site) == (unsigned char)byte)
      return (char *)p + i;
  return NULL;
}

EXPORT void *__tidemark_memrchr(const void *p, int byte, size_t n, SITE) {
  if (!watched(p))
    return memrchr(p, byte, n);
  for (size_t i = n; i-- > 0;)
    if (byte_at((const char *)p + i, site) == (unsigned char)byte)
      return (char *)p + i;
  return NULL;
}

EXPORT size_t __tidemark_strnlen(const char *s, size_t max, SITE) {
  if (!watched(s))
    return strnlen(s, max);
  size_t n = 0;
  while (n < max && byte_at(s + n, site))
    n++;
  return n;
}

EXPORT size_t __tidemark_strlen(const char *s, SITE) {
  return watched(s) ? __tidemark_strnlen(s, SIZE_MAX, site) : strlen(s);
}

EXPORT char *__tidemark_stpcpy(char *to, const char *from, SITE) {
  size_t n = __tidemark_strlen(from, site);
  __tidemark_memmove(to, from, n + 1, site);
  return to + n;
}

EXPORT char *__tidemark_strcpy(char *to, const char *from, SITE) {
  __tidemark_stpcpy(to, from, site);
  return to;
}

EXPORT char *__tidemark_stpncpy(char *to, const char *from, size_t n, SITE) {
  size_t length = __tidemark_strnlen(from, n, site);
  __tidemark_memmove(to, from, length, site);
  __tidemark_memset(to + length, 0, n - length, site);
  return to + length;
}

EXPORT char *__tidemark_strncpy(char *to, const char *from, size_t n, SITE) {
  __tidemark_stpncpy(to, from, n, site);
  return to;
}

EXPORT char *__tidemark_strcat(char *to, const char *from, SITE) {
  __tidemark_strcpy(to + __tidemark_strlen(to, site), from, site);
  return to;
}

EXPORT char *__tidemark_strncat(char *to, const char *from, size_t n, SITE) {
  char *end = to + __tidemark_strlen(to, site), zero = 0;
  size_t length = __tidemark_strnlen(from, n, site);
  __tidemark_memmove(end, from, length, site);
  put_bytes(end + length, &zero, 1, site);
  return to;
}

static int compare(const char *a, const char *b, size_t n, bool fold, SITE) {
  for (size_t i = 0; i < n; i++) {
    int x = byte_at(a + i, site), y = byte_at(b + i, site);
    int d = fold ? tolower(x) - tolower(y) : x - y;
    if (d || !x)
      return d;
  }
  return 0;
}

EXPORT int __tidemark_strcmp(const char *a, const char *b, SITE) {
  return watched(a) || watched(b) ? compare(a, b, SIZE_MAX, false, site) : strcmp(a, b);
}

EXPORT int __tidemark_strncmp(const char *a, const char *b, size_t n, SITE) {
  return watched(a) || watched(b) ? compare(a, b, n, false, site) : strncmp(a, b, n);
}

EXPORT int __tidemark_strcasecmp(const char *a, const char *b, SITE) {
  return watched(a) || watched(b) ? compare(a, b, SIZE_MAX, true, site) : strcasecmp(a, b);
}

EXPORT int __tidemark_strncasecmp(const char *a, const char *b, size_t n, SITE) {
  return watched(a) || watched(b) ? compare(a, b, n, true, site) : strncasecmp(a, b, n);
}

EXPORT char *__tidemark_strchr(const char *s, int c, SITE) {
  for (;; s++) {
    unsigned char x = byte_at(s, site);
    if (x == (unsigned char)c)
      return (char *)s;
    if (!x)
      return NULL;
  }
}

EXPORT char *__tidemark_strrchr(const char *s, int c, SITE) {
  char *found = NULL;
  for (;; s++) {
    unsigned char x = byte_at(s, site);
    if (x == (unsigned char)c)
      found = (char *)s;
    if (!x)
      return found;
  }
}

EXPORT char *__tidemark_strstr(const char *s, const char *needle, SITE) {
  if (!watched(s) && !watched(needle))
    return strstr(s, needle);
  size_t n = __tidemark_strlen(needle, site);
  for (;; s++) {
    if (compare(s, needle, n, false, site) == 0)
      return (char *)s;
    if (!byte_at(s, site))
      return NULL;
  }
}

EXPORT char *__tidemark_strndup(const char *s, size_t max, SITE) {
  size_t n = __tidemark_strnlen(s, max, site);
  char *copy = malloc(n + 1); /* layers: ok, the program asked for its own memory */
  if (copy) {
    __tidemark_memmove(copy, s, n, site);
    copy[n] = 0;
  }
  return copy;
}

EXPORT char *__tidemark_strdup(const char *s, SITE) {
  return __tidemark_strndup(s, SIZE_MAX, site);
}
