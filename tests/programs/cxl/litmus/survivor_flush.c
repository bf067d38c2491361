// OPTIONS:
// OUTCOMES: alive; 0; 1
// COUNTS: 3 executions, 3 runs, 1 failure points
// OPTIONS: --flush=global
// OUTCOMES: alive; 0; 1
// COUNTS: 3 executions, 3 runs, 1 failure points
// OPTIONS: --coherence=cxlmc
// OUTCOMES: alive; 0; 1
// COUNTS: 3 executions, 3 runs, 1 failure points
// A survivor's clflush does not bring back what a failed machine had lost.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    X = 1;
    return 0;
  }
  if (tidemark_machine_failed(0)) {
    clflush(&X);
    _mm_mfence();
    SHOW("%lu", NUMBER(X));
  } else {
    SHOW("%s", "alive");
  }
}
