/* Vector clocks as rows of numbers whose length is a multiple of four, so that compilers use vector instructions.  The
 * numbers are below 2^31: any x86-64 can compare signed ones, four at once. */
#ifndef BASE_FOURS_H
#define BASE_FOURS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline uint32_t fours_up(uint32_t n) {
  return (n + 3) & ~3u;
}

/* Each number becomes the greater one of both.  pre: the rows do not overlap. */
static inline void fours_raise(uint32_t *restrict to, const uint32_t *restrict from, size_t n) {
  for (size_t i = 0; i < n; i += 4)
    for (size_t k = i; k < i + 4; k++)
      to[k] = (int32_t)to[k] < (int32_t)from[k] ? from[k] : to[k];
}

/* Is no number of a greater than that of b? */
static inline bool fours_within(const uint32_t *a, const uint32_t *b, size_t n) {
  uint32_t greater = 0;
  for (size_t i = 0; i < n; i += 4)
    for (size_t k = i; k < i + 4; k++)
      greater |= (int32_t)a[k] > (int32_t)b[k];
  return !greater;
}

#endif
