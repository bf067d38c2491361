// OPTIONS:
// OUTCOMES: 0; 1
// COUNTS: 2 executions, 2 runs, 1 failure points
// The number of failures is an observation like the failure of a certain machine.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 1)
    SHOW("%d", tidemark_failures());
}
