// OPTIONS:
// OUTCOMES: 0 0; 0 1; 1 1
// COUNTS: 5 executions, 5 runs, 2 failure points
// clwb through the intrinsic, and a fence.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    X = 1;
    clwb(&X);
    _mm_sfence();
    Z = 1;
    return 0;
  }
  unsigned long z = Z, x = X;
  SHOW("%lu %lu", z, x);
}
