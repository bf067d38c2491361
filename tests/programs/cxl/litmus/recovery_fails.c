// OPTIONS: --machines=3
// OUTCOMES: 0 0 0; 1 0 0; 1 0 1; 1 0 2; 1 1 2
// COUNTS: 17 executions, 12 runs, 4 failure points
// Machine 1 fails while it recovers what machine 0 left: log (x), data (Z), done (word 16).
#include "../cxl.h"

int main(void) {
  volatile uint64_t *done = cxl_word(16);
  switch (tidemark_machine()) {
  case 0:
    X = 1;
    clflush(&X);
    Z = 1;
    return 0;
  case 1:
    if (tidemark_machine_failed(0) && X == 1) {
      Z = 2;
      clflush(&Z);
      *done = 1;
      clflush(done);
    }
    return 0;
  default:
    tidemark_assume(tidemark_machine_failed(0) && tidemark_machine_failed(1));
    unsigned long x = X, d = *done, z = Z;
    SHOW("%lu %lu %lu", x, d, z);
  }
}
