/* Pass-through hooks for the library functions that read or write memory. */
#include "abi/abi.h"
#include <string.h>
#include <strings.h>

#define SITE const struct abi_site *site __attribute__((unused))

/* FORWARD(result, name, (parameters, SITE), (arguments)) */
#define FORWARD(type, name, parameters, arguments) \
  type __tidemark_##name parameters { \
    return name arguments; \
  }

FORWARD(void *, memcpy, (void *to, const void *from, size_t n, SITE), (to, from, n))
FORWARD(void *, memmove, (void *to, const void *from, size_t n, SITE), (to, from, n))
FORWARD(void *, memset, (void *to, int byte, size_t n, SITE), (to, byte, n))
FORWARD(void *, mempcpy, (void *to, const void *from, size_t n, SITE), (to, from, n))
FORWARD(void *, memccpy, (void *to, const void *from, int byte, size_t n, SITE),
        (to, from, byte, n))
FORWARD(int, memcmp, (const void *a, const void *b, size_t n, SITE), (a, b, n))
FORWARD(int, bcmp, (const void *a, const void *b, size_t n, SITE), (a, b, n))
FORWARD(void *, memchr, (const void *p, int byte, size_t n, SITE), (p, byte, n))
FORWARD(void *, memrchr, (const void *p, int byte, size_t n, SITE), (p, byte, n))
FORWARD(size_t, strlen, (const char *s, SITE), (s))
FORWARD(size_t, strnlen, (const char *s, size_t n, SITE), (s, n))
FORWARD(char *, strcpy, (char *to, const char *from, SITE), (to, from))
FORWARD(char *, stpcpy, (char *to, const char *from, SITE), (to, from))
FORWARD(char *, strncpy, (char *to, const char *from, size_t n, SITE), (to, from, n))
FORWARD(char *, stpncpy, (char *to, const char *from, size_t n, SITE), (to, from, n))
FORWARD(char *, strcat, (char *to, const char *from, SITE), (to, from))
FORWARD(char *, strncat, (char *to, const char *from, size_t n, SITE), (to, from, n))
FORWARD(int, strcmp, (const char *a, const char *b, SITE), (a, b))
FORWARD(int, strncmp, (const char *a, const char *b, size_t n, SITE), (a, b, n))
FORWARD(int, strcasecmp, (const char *a, const char *b, SITE), (a, b))
FORWARD(int, strncasecmp, (const char *a, const char *b, size_t n, SITE), (a, b, n))
FORWARD(char *, strchr, (const char *s, int c, SITE), (s, c))
FORWARD(char *, strrchr, (const char *s, int c, SITE), (s, c))
FORWARD(char *, strstr, (const char *s, const char *needle, SITE), (s, needle))
FORWARD(char *, strdup, (const char *s, SITE), (s))
FORWARD(char *, strndup, (const char *s, size_t n, SITE), (s, n))

_Noreturn void __chk_fail(void);

void __tidemark_check_room(size_t bytes, size_t room, SITE) {
  if (bytes > room)
    __chk_fail();
}

void __tidemark_bcopy(const void *from, void *to, size_t n, SITE) {
  memmove(to, from, n);
}

void __tidemark_bzero(void *to, size_t n, SITE) {
  memset(to, 0, n);
}
