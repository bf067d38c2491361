// OPTIONS:
// OUTCOMES: 0 0; 1 0; 1 2
// FLAGS: -mavx2
// A vector load is a load of all its words.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    X = 1;
    Y = 2;
    return 0;
  }
  __m128i both = _mm_load_si128((const __m128i *)&X);
  SHOW("%lld %lld", _mm_extract_epi64(both, 0), _mm_extract_epi64(both, 1));
}
