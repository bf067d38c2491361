// OPTIONS:
// OUTCOMES: 0 0; 0 1; 1 0; 1 1
// COUNTS: 8 executions, 8 runs, 3 failure points
// A fence completes the write-backs of its own thread only.
#include "../cxl.h"

static void *other_thread(void *unused) {
  (void)unused;
  yield_rounds(1);
  _mm_sfence();
  Z = 1;
  return NULL;
}

int main(void) {
  if (tidemark_machine() == 0) {
    pthread_t t;
    pthread_create(&t, NULL, other_thread, NULL);
    yield_rounds(1);
    X = 1;
    clwb(&X);
    yield_rounds(4);
    return 0;
  }
  yield_rounds(4);
  unsigned long z = Z, x = X;
  SHOW("%lu %lu", z, x);
}
