// 16 non-temporal bytes tear like others.
// OUTCOMES: x=0 x'=0 y=0; x=1 x'=0 y=0; x=1 x'=2 y=0; x=1 x'=2 y=1
// COUNTS: 6 executions, 5 runs, 2 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  _mm_stream_si128((__m128i *)&X, _mm_set_epi64x(2, 1));
  _mm_sfence();
  Y = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d x'=%d y=%d", (int)X, (int)X2, (int)Y);
}

PM_TEST(4)
