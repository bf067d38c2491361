// OPTIONS:
// OUTCOMES: 0; 3; 403; 22110403
// COUNTS: 5 executions, 5 runs, 1 failure points
// OPTIONS: --coherence=cxlmc
// OUTCOMES: 0; 3; 403; 22110403
// COUNTS: 5 executions, 5 runs, 1 failure points
// A load reads from several stores of other sizes; they survive as a prefix.
#include "../cxl.h"

int main(void) {
  volatile uint8_t *bytes = (volatile uint8_t *)&X;
  if (tidemark_machine() == 0) {
    bytes[0] = 3;
    bytes[1] = 4;
    *(volatile uint16_t *)(bytes + 2) = 0x2211;
    return 0;
  }
  SHOW("%lx", NUMBER(X));
}
