// A locked instruction completes it, too.
// OUTCOMES: x=0 y=0; x=1 y=0; x=1 y=1
// COUNTS: 5 executions, 4 runs, 2 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  _mm_stream_si64((long long *)&X, 1);
  __atomic_exchange_n(&Y, 1, __ATOMIC_RELAXED);
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d y=%d", (int)X, (int)Y);
}

PM_TEST(4)
