// OPTIONS:
// OUTCOMES: 0 0 0; 0 1 0; 0 1 1; 1 1 0; 1 1 1
// COUNTS: 10 executions, 10 runs, 3 failure points
// clflushopt covers what was stored before it, not y = 1 between it and the fence.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    X = 1;
    clflushopt(&X);
    Y = 1;
    _mm_mfence();
    Z = 1;
    return 0;
  }
  unsigned long z = Z, x = X, y = Y;
  SHOW("%lu %lu %lu", z, x, y);
}
