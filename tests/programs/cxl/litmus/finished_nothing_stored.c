// OPTIONS:
// OUTCOMES: 0 0; 0 1; 1 1
// COUNTS: 3 executions, 3 runs, 2 failure points
// A machine without any store fails, too, and being told so is an observation each time.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0)
    return 0;
  int first = tidemark_machine_failed(0);
  SHOW("%d %d", first, tidemark_machine_failed(0));
}
