// OPTIONS:
// OUTCOMES: 0 0; 0 1; 1 0; 1 1
// OPTIONS: --flush=global
// OUTCOMES: 0 0; 0 1; 1 1
// OPTIONS: --coherence=cxlmc
// OUTCOMES: 0 0; 0 1; 1 0; 1 1
// OPTIONS: --coherence=cxlmc --flush=global
// OUTCOMES: 0 0; 0 1; 1 1
// A flush by another machine acts on that machine's own cache.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    X = 1;
    yield_rounds(1);
    commit();
    return 0;
  }
  clflush(&X);
  yield_rounds(1);
  unsigned long z = Z, x = X;
  SHOW("%lu %lu", z, x);
}
