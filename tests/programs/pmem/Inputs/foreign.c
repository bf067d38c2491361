/* Built without tidemark-cc. */
#include <immintrin.h>

void foreign_store(volatile long *p, long value) {
  *p = value;
}

void foreign_flush(volatile long *p, long value) {
  *p = value;
  FLUSH((void *)p);
  _mm_sfence();
}
