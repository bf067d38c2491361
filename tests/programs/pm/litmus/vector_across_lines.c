// An unaligned vector that crosses lines: its aligned words persist one by one.
// OUTCOMES: 0 0 0 0; 1 0 0 0; 0 2 3 0; 1 2 3 0; 0 2 3 4; 1 2 3 4
// COUNTS: 7 executions, 7 runs, 1 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  _mm_storeu_si128((__m128i_u *)&line[0].half[15], _mm_set_epi32(4, 3, 2, 1));
}

static void after(union pm_line *line) {
  __m128i v = _mm_loadu_si128((__m128i_u *)&line[0].half[15]);
  tidemark_outcome("%d %d %d %d", _mm_extract_epi16(v, 0), _mm_extract_epi16(v, 2),
                   _mm_extract_epi16(v, 4), _mm_extract_epi16(v, 6));
}

PM_TEST(2)
