// C4: C3 without the fence, 4 states.
// OUTCOMES: d=0 c=0; d=42 c=0; d=0 c=1; d=42 c=1
// COUNTS: 8 executions, 6 runs, 2 failure points
#include "../threads.h"

THREAD(first) {
  X = 42;
}

THREAD(second) {
  if (X) {
    clflushopt(&X);
    Y = 1;
  }
}

static void after(union pm_line *line) {
  tidemark_outcome("d=%d c=%d", (int)X, (int)Y);
}

CRASH_TEST(2, first, second)
