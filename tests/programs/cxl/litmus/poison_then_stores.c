// OPTIONS: --poison
// OUTCOMES: 0 2 0; 0 2 1; 1 1 0; 1 2 0
// COUNTS: 4 executions, 4 runs, 2 failure points
// Whether the line of X is poisoned is asked when it holds one store, and answered the second time after there have been many:
// that has to concern the same store.  (Where nobody fails there are fewer.)
#include "../cxl.h"
#include <stdbool.h>

int main(void) {
  if (tidemark_machine() == 0) {
    X = 1;
    return 0;
  }
  tidemark_on_poison(count_poison);
  unsigned long seen = NUMBER(X);
  bool failed = tidemark_machine_failed(0);
  for (int i = 0; i < 40 && failed; i++)
    X = 2;
  for (int i = 1; i < 20 && failed; i++)
    *cxl_word(8 * i) = 2;
  clflush(&X);
  SHOW("%lu %lu %d", seen, NUMBER(X), poisoned);
}
