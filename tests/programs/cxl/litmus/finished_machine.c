// OPTIONS:
// OUTCOMES: 0 1; 1 0; 1 1
// COUNTS: 3 executions, 3 runs, 1 failure points
// The end of main is not a flush: a machine that has finished its program fails afterwards.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    X = 1;
    return 0;
  }
  yield_rounds(5);
  unsigned long x = X;
  SHOW("%lu %d", x, tidemark_machine_failed(0));
}
