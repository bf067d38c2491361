// OPTIONS:
// OUTCOMES: 0 1 0 1; 0 1 1 0; 0 1 1 1; 1 0 0 1; 1 0 1 1; 1 1 0 1; 1 1 1 1
// COUNTS: 7 executions, 7 runs, 2 failure points
// Machine 1 is told that machine 0 lives; what that one had not flushed can still get lost.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    X = 1;
    Z = 1;
    clflush(&X);
    yield_rounds(1);
    clflush(&Z);
    return 0;
  }
  int before = tidemark_machine_failed(0);
  unsigned long x = X;
  yield_rounds(1);
  unsigned long z = Z;
  SHOW("%d %lu %lu %d", before, x, z, tidemark_machine_failed(0));
}
