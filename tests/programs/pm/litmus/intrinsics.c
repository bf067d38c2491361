// The intrinsics themselves, as programs use them.
// FLAGS: -mclflushopt -mclwb
// OUTCOMES: 0 0 0 0; 1 0 0 0; 0 1 0 0; 1 1 0 0; 1 1 1 0; 1 1 1 1
// COUNTS: 9 executions, 7 runs, 3 failure points
#include "../pm.h"
#include <immintrin.h>

static void before(union pm_line *line) {
  X = 1;
  _mm_clwb(&X);
  Y = 1;
  _mm_clflushopt(&Y);
  _mm_sfence();
  Z = 1;
  _mm_clflush(&Z);
  W = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("%d %d %d %d", (int)X, (int)Y, (int)Z, (int)W);
}

PM_TEST(4)
