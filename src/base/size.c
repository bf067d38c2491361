#include "base/size.h"
#include <string.h>

bool size_parse(const char *text, uint64_t *bytes) {
  static const char units[] = "KMGT";
  uint64_t n = 0;
  const char *p = text;
  for (; *p >= '0' && *p <= '9'; p++)
    if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, (uint64_t)(*p - '0'), &n))
      return false;
  const char *unit = *p ? strchr(units, *p) : NULL;
  if (p == text || (*p && (!unit || p[1])))
    return false;
  int shift = unit ? 10 * (int)(unit - units + 1) : 0;
  *bytes = n << shift;
  return *bytes >> shift == n;
}
