// OPTIONS:
// OUTCOMES: 0; 11111111; 2222222211111111
// COUNTS: 4 executions, 4 runs, 1 failure points
// A store across two words is two stores, lowest address first, in one line.
#include "../cxl.h"

int main(void) {
  volatile any64 *p = (volatile any64 *)((char *)&X + 4);
  if (tidemark_machine() == 0) {
    *p = 0x2222222211111111;
    return 0;
  }
  SHOW("%lx", NUMBER(*p));
}
