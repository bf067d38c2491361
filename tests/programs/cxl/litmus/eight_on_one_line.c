// OPTIONS: --machines=8 --failures=1
// OUTCOMES: 0111111; 1011111; 1101111; 1110111; 1111011; 1111101; 1111110; 1111111
// COUNTS: 15 executions, 15 runs, 7 failure points
// OPTIONS: --machines=8 --failures=1 --coherence=cxlmc
// OUTCOMES: 0111111; 1011111; 1101111; 1110111; 1111011; 1111101; 1111110; 1111111
// COUNTS: 15 executions, 15 runs, 7 failure points
// Seven machines store a byte each to one line.  Whoever fails before it stores leaves a gap, so the
// set is the same although the protocol writes each store back when the next machine stores.
#include "../cxl.h"

int main(void) {
  volatile uint8_t *bytes = (volatile uint8_t *)&X;
  if (tidemark_machine() < 7) {
    bytes[tidemark_machine()] = 1;
    return 0;
  }
  char shown[8] = "";
  for (int i = 0; i < 7; i++)
    shown[i] = (char)('0' + bytes[i]);
  SHOW("%s", shown);
}
