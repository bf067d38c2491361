// OPTIONS: --poison
// OUTCOMES: 0; 1
// FINDINGS: poison
// OPTIONS: --poison --coherence=cxlmc
// OUTCOMES: 0; 1
// FINDINGS: poison
// OPTIONS:
// OUTCOMES: 0; 1
// OPTIONS: --poison --gpf
// OUTCOMES: 0; 1
// Nobody handles poison: a finding.  0 is what is read if machine 0 fails before it stores.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    X = 1;
    return 0;
  }
  SHOW("%lu", NUMBER(X));
}
