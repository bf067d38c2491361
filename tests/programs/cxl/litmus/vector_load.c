// OPTIONS:
// OUTCOMES: 0 0; 1 0; 1 2
// COUNTS: 4 executions, 4 runs, 1 failure points
// A vector load is a load of all its words.
#include "../cxl.h"

int main(void) {
  uint64_t words[2] __attribute__((aligned(16)));
  if (tidemark_machine() == 0) {
    X = 1;
    Y = 2;
    return 0;
  }
  _mm_store_si128((__m128i *)words, _mm_load_si128((const __m128i *)&X));
  SHOW("%lu %lu", words[0], words[1]);
}
