// EXPECT: abort 1
// MESSAGE: abort called
// STACK: compare sort main
// libc's functions in between keep no frame pointers.
#include <stdlib.h>
static int compare(const void *a, const void *b) {
  if (*(const int *)a != *(const int *)b)
    abort(); // HERE
  return 0;
}
__attribute__((noinline)) static int sort(int *v) {
  qsort(v, 5, sizeof *v, compare);
  return v[0];
}
int main(void) {
  int v[] = {1, 1, 2, 1, 1};
  return sort(v) + 1;
}
