// Persistent caches: a non-temporal store waits for a fence, or for a later store to its line; others do not.
// OUTCOMES: x=0 y=0 x'=0; x=0 y=1 x'=0; x=1 y=0 x'=0; x=1 y=1 x'=0; x=1 y=1 x'=1
// OPTIONS: --eadr
// COUNTS: 7 executions, 6 runs, 2 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  _mm_stream_si32((int *)&X, 1);
  Y = 1;
  _mm_sfence();
  X2 = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d y=%d x'=%d", (int)X, (int)Y, (int)X2);
}

PM_TEST(4)
