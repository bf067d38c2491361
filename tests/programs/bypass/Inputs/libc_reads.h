#include <stddef.h>

/* n bytes and a zero at p, and the same elsewhere; a number that depends on all of them. */
long plain_string_sum(const char *p, const char *ordinary, size_t n);
