/* Preloaded: of a program called `tidemark`, allocation number $FAIL_AT fails. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

extern char *program_invocation_short_name;
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *p, size_t bytes);

static bool fails(void) {
  static long number;
  const char *at = getenv("FAIL_AT");
  bool now = at && ++number == atol(at) && program_invocation_short_name &&
             strcmp(program_invocation_short_name, "tidemark") == 0;
  if (now)
    errno = ENOMEM;
  return now;
}

void *malloc(size_t bytes) {
  return fails() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes) {
  return fails() ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *p, size_t bytes) {
  return fails() ? NULL : __libc_realloc(p, bytes);
}
