// The flag is written back, what it announces is not: whoever sees the flag may miss the message if the
// sender has failed in between.
// In turns the reader comes first and sees neither.
// OPTIONS:
// OUTCOMES: 0 0
// COUNTS: 2 executions, 2 runs, 1 failure points
// OPTIONS: --schedule=all
// OUTCOMES: 0 0; 0 1; 1 0; 1 1
// COUNTS: 58 executions, 58 runs, 2 failure points
// OPTIONS: --schedule=random --runs=200
// OUTCOMES: 0 0; 0 1; 1 0; 1 1
// COUNTS: 855 executions, 856 runs, 2 failure points
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 1) {
    X = 1;
    Z = 1;
    clflush(&Z);
    return 0;
  }
  unsigned long flag = Z;
  SHOW("%lu %lu", flag, NUMBER(X));
}
