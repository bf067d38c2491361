// OPTIONS: --max-steps=140
// OUTCOMES: 0; 1; 2; 3; 4
// COUNTS: 9 executions, 6 runs, 4 failure points
// The budget of steps is that of one execution: going back to a decision gives back what was used up
// since.  One execution takes nearly as many, all together many times that.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    for (int i = 0; i < 4; i++) {
      *cxl_word(i) = 1;
      clflush(cxl_word(i));
    }
    return 0;
  }
  unsigned long sum = 0;
  for (int i = 0; i < 80; i++)
    sum += *cxl_word(i % 4);
  for (int i = 0; i < 40; i++)
    *cxl_word(4) = i;
  SHOW("%lu", sum / 20);
}
