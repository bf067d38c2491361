// M11, FLUSH-MCA: M10 with clflushopt between fences; all states but one.
// OUTCOMES: 0000; 0001; 0010; 0100; 0101; 0110; 0111; 1000; 1001; 1010; 1011; 1100; 1101; 1110; 1111
// COUNTS: 36 executions, 18 runs, 7 failure points
#include "../threads.h"

THREAD(first) {
  X = 1;
  _mm_mfence();
  clflushopt(&Y);
  _mm_sfence();
  Z = 1;
}

THREAD(second) {
  Y = 1;
  _mm_mfence();
  clflushopt(&X);
  _mm_sfence();
  W = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("%d%d%d%d", (int)X, (int)Y, (int)Z, (int)W);
}

CRASH_TEST(4, first, second)
