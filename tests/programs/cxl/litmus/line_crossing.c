// OPTIONS:
// OUTCOMES: 0; 11111111; 2222222200000000; 2222222211111111
// COUNTS: 7 executions, 7 runs, 2 failure points
// OPTIONS: --gpf
// OUTCOMES: 0; 11111111; 2222222211111111
// COUNTS: 3 executions, 3 runs, 2 failure points
// A store across two lines: each line keeps or loses its part.
#include "../cxl.h"

int main(void) {
  volatile any64 *p = (volatile any64 *)((char *)&X + 60);
  if (tidemark_machine() == 0) {
    *p = 0x2222222211111111;
    return 0;
  }
  SHOW("%lx", NUMBER(*p));
}
