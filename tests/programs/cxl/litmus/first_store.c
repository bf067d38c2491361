// OPTIONS:
// OUTCOMES: 0; 1
// COUNTS: 3 executions, 3 runs, 1 failure points
// The very first store of a machine can be lost like any other.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    X = 1;
    return 0;
  }
  SHOW("%lu", NUMBER(X));
}
