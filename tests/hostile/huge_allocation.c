// EXPECT: none 0
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
int main(void) {
  void *(*volatile allocate)(size_t) = malloc;
  void *(*volatile zeroed)(size_t, size_t) = calloc;
  void *(*volatile resize)(void *, size_t) = realloc;
  errno = 0;
  if (allocate(SIZE_MAX / 2) || errno != ENOMEM)
    return 1;
  if (zeroed(SIZE_MAX / 2, 16) || resize(allocate(10), SIZE_MAX / 2))
    return 2;
  char *p = allocate((size_t)1 << 30); /* fine: hardly touched */
  if (!p)
    return 3;
  p[12345] = 1;
  free(p);
  return 0;
}
