// OPTIONS:
// OUTCOMES: 0 0; 0 1; 1 1
// COUNTS: 5 executions, 5 runs, 2 failure points
// A non-temporal store needs a fence but no flush.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    _mm_stream_si64((long long *)&X, 1);
    _mm_sfence();
    Z = 1;
    return 0;
  }
  unsigned long z = Z, x = X;
  SHOW("%lu %lu", z, x);
}
