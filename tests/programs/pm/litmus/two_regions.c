// Regions are found by name, in whatever order they are asked for.
// OUTCOMES: 0 0; 1 0; 1 2
// COUNTS: 5 executions, 4 runs, 2 failure points
#include "../pm.h"

int main(void) {
  uint64_t *a, *b;
  if (tidemark_failures() == 0) {
    a = tidemark_region("a", 64);
    b = tidemark_region("b", 64);
    *a = 1;
    clflush(a);
    *b = 2;
  } else {
    b = tidemark_region("b", 64);
    a = tidemark_region("a", 64);
    tidemark_outcome("%d %d", (int)*a, (int)*b);
  }
  return 0;
}
