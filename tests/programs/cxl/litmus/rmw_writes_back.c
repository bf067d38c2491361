// OPTIONS: --machines=3
// OUTCOMES: 0 0 1; 0 1 0; 0 1 1; 0 2 0; 0 2 1; 1 0 1; 1 1 1; 1 2 0; 1 2 1
// COUNTS: 23 executions, 19 runs, 5 failure points
// The read half of machine 1's addition writes back machine 0's; z = 1 says that machine 0 lived
// after it, so with machine 1 alive the sum is complete.
#include "../cxl.h"

int main(void) {
  switch (tidemark_machine()) {
  case 0:
    __atomic_fetch_add(&X, 1, __ATOMIC_SEQ_CST);
    yield_rounds(1);
    commit();
    return 0;
  case 1:
    __atomic_fetch_add(&X, 1, __ATOMIC_SEQ_CST);
    yield_rounds(2);
    return 0;
  default:
    yield_rounds(1);
    unsigned long z = Z, x = X;
    SHOW("%lu %lu %d", z, x, tidemark_machine_failed(1));
  }
}
