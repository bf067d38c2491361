// OPTIONS: --machines=8 --failures=1
// OUTCOMES: 6; 7
// COUNTS: 15 executions, 15 runs, 7 failure points
// OPTIONS: --machines=8 --failures=2
// OUTCOMES: 5; 6; 7
// COUNTS: 106 executions, 106 runs, 14 failure points
// OPTIONS: --machines=8
// OUTCOMES: 0; 1; 2; 3; 4; 5; 6; 7
// COUNTS: 3216 executions, 1765 runs, 14 failure points
// OPTIONS: --machines=8 --failures=0
// OUTCOMES: 7
// COUNTS: 1 executions, 1 runs, 0 failure points
// Seven machines store to a line each, the eighth adds up.
#include "../cxl.h"

int main(void) {
  unsigned long sum = 0;
  if (tidemark_machine() < 7) {
    *cxl_word(8 * tidemark_machine()) = 1;
    return 0;
  }
  for (int i = 0; i < 7; i++)
    sum += *cxl_word(8 * i);
  SHOW("%lu", sum);
}
