// A vector store is a sequence of stores, a vector load sees one state of the line.
// OUTCOMES: 0 0; 1 0; 1 2
// COUNTS: 4 executions, 4 runs, 1 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  _mm_store_si128((__m128i *)line, _mm_set_epi64x(2, 1));
}

static void after(union pm_line *line) {
  __m128i v = _mm_load_si128((__m128i *)line);
  tidemark_outcome("%d %d", (int)_mm_cvtsi128_si64(v), (int)_mm_extract_epi16(v, 4));
}

PM_TEST(1)
