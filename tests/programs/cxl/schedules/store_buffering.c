// Both machines may miss the other's store, because it is still in its buffer; in turns one sees it.
// OPTIONS: --failures=0
// OUTCOMES: 0:0 + 1:1
// COUNTS: 1 executions, 1 runs, 0 failure points
// OPTIONS: --failures=0 --schedule=all
// OUTCOMES: 0:0 + 1:0; 0:0 + 1:1; 0:1 + 1:0; 0:1 + 1:1; 1:0 + 0:0; 1:0 + 0:1; 1:1 + 0:0; 1:1 + 0:1
// COUNTS: 78 executions, 78 runs, 0 failure points
#include "../cxl.h"

int main(void) {
  int self = tidemark_machine();
  *cxl_word(self * 8) = 1;
  SHOW("%d:%lu", self, NUMBER(*cxl_word(8 - self * 8)));
}
