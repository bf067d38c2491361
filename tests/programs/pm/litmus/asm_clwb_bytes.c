// The encoding of clwb for old assemblers.
// OUTCOMES: x=0 y=0 z=0; x=1 y=0 z=0; x=0 y=1 z=0; x=1 y=1 z=0; x=1 y=0 z=1; x=1 y=1 z=1
// COUNTS: 9 executions, 7 runs, 2 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  X = 1;
  __asm__ volatile(".byte 0x66; xsaveopt %0" : "+m"(X));
  Y = 1;
  __asm__ volatile("sfence" : : : "memory");
  Z = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d y=%d z=%d", (int)X, (int)Y, (int)Z);
}

PM_TEST(4)
