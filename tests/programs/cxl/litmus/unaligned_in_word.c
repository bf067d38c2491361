// OPTIONS:
// OUTCOMES: 0; 44332211
// COUNTS: 3 executions, 3 runs, 1 failure points
// A store within an aligned word is atomic whatever its own alignment.
#include "../cxl.h"

int main(void) {
  volatile any32 *p = (volatile any32 *)((char *)&X + 2);
  if (tidemark_machine() == 0) {
    *p = 0x44332211;
    return 0;
  }
  SHOW("%lx", NUMBER(*p));
}
