// OPTIONS:
// OUTCOMES: 0 1; 1 2
// COUNTS: 3 executions, 3 runs, 1 failure points
// OPTIONS: --coherence=cxlmc
// OUTCOMES: 0 1; 1 2
// COUNTS: 3 executions, 3 runs, 1 failure points
// OPTIONS: --gpf
// OUTCOMES: 0 1; 1 2
// COUNTS: 3 executions, 3 runs, 2 failure points
#include "../cxl.h"

int main(void) {
  unsigned long old = __atomic_fetch_add(&X, 1, __ATOMIC_SEQ_CST);
  if (tidemark_machine() == 1)
    SHOW("%lu %lu", old, NUMBER(X));
}
