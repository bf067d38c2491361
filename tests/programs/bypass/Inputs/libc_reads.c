/* libc's functions, called by code that was not instrumented. */
#include "libc_reads.h"
#include <string.h>

long plain_string_sum(const char *p, const char *ordinary, size_t n) {
  char copy[512];
  long sum = memcmp(p, ordinary, n) != 0;
  sum = sum * 3 + (memcmp(ordinary, p, n) != 0);
  memcpy(copy, p, n);
  for (size_t i = 0; i < n; i++)
    sum = sum * 31 + copy[i];
  copy[n] = 0;
  sum = sum * 31 + (long)strlen(p);
  sum = sum * 31 + (memchr(p, 'q', n) ? (const char *)memchr(p, 'q', n) - p : -1);
  sum = sum * 31 + (strchr(p, 'r') ? strchr(p, 'r') - p : -1);
  sum = sum * 31 + (strcmp(p, copy) == 0);
  return sum;
}
