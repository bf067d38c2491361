// OPTIONS: --gpf
// OUTCOMES: head 0 count 0; head 1 count 0; head 1 count 1
// COUNTS: 3 executions, 3 runs, 2 failure points
// A count that is not updated together with the list it counts is wrong even with gpf.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    X = 1;
    Z = 1;
    return 0;
  }
  unsigned long count = Z, head = X;
  SHOW("head %lu count %lu", head, count);
}
