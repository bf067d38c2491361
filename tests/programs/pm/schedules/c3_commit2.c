// C3: 3 states.
// OUTCOMES: d=0 c=0; d=42 c=0; d=42 c=1
// COUNTS: 7 executions, 5 runs, 3 failure points
#include "../threads.h"

THREAD(first) {
  X = 42;
}

THREAD(second) {
  if (X) {
    clflushopt(&X);
    _mm_sfence();
    Y = 1;
  }
}

static void after(union pm_line *line) {
  tidemark_outcome("d=%d c=%d", (int)X, (int)Y);
}

CRASH_TEST(2, first, second)
