// OPTIONS:
// OUTCOMES: 0 0; 0 1; 1 0; 1 1
// COUNTS: 11 executions, 11 runs, 4 failure points
// OPTIONS: --coherence=cxlmc
// OUTCOMES: 0 0; 0 1; 1 0; 1 1
// COUNTS: 11 executions, 11 runs, 4 failure points
// A load by another thread of the same machine writes nothing back.
#include "../cxl.h"

static void *other_thread(void *unused) {
  (void)unused;
  if (X == 1)
    commit();
  return NULL;
}

int main(void) {
  if (tidemark_machine() == 0) {
    pthread_t t;
    X = 1;
    pthread_create(&t, NULL, other_thread, NULL);
    pthread_join(t, NULL);
    return 0;
  }
  yield_rounds(2);
  unsigned long z = Z, x = X;
  SHOW("%lu %lu", z, x);
}
