// Four kinds of end, each in exactly the executions that lead to it: of the eight combinations one
// fails the assertion before z is read, two crash, one exits with a status, the others are fine.
// OUTCOMES: 000; 100; 110; 111
// FINDINGS: assertion 1; exit-status 1; segfault 2
// COUNTS: 8 executions, 8 runs, 1 failure points
#include "../pm.h"

int main(void) {
  union pm_line *line = pm_lines(3);
  if (tidemark_failures() == 0) {
    X = 1;
    Y = 1;
    Z = 1;
    return 0;
  }
  int x = (int)X, y = (int)Y;
  tidemark_assert(x || !y);
  int z = (int)Z;
  if (z && !y)
    *(volatile int *)0 = 1;
  tidemark_outcome("%d%d%d", x, y, z);
  return x + y + z == 2 ? 3 : 0;
}
