// OPTIONS: --max-steps=100
// OUTCOMES: 0 0; 0 1; 1 0; 1 1
// COUNTS: 11 executions, 11 runs, 3 failure points
// The same after the last failure: survivors begin again where the failure was, with the steps that were
// used up then.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    *cxl_word(0) = 1;
    *cxl_word(8) = 1;
    *cxl_word(16) = 1;
    clflush(cxl_word(16));
    return 0;
  }
  for (int i = 0; i < 60; i++)
    *cxl_word(24) = i;
  unsigned long a = *cxl_word(0), b = *cxl_word(8);
  SHOW("%lu %lu", a, b);
}
