// OPTIONS: --poison
// OUTCOMES: 0; 1
// COUNTS: 5 executions, 5 runs, 3 failure points
// OPTIONS: --poison --coherence=cxlmc
// OUTCOMES: 0; 1
// COUNTS: 5 executions, 5 runs, 3 failure points
// A store by a live machine ends the poison.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    X = 1;
    return 0;
  }
  Y = 1;
  SHOW("%lu", NUMBER(X));
}
