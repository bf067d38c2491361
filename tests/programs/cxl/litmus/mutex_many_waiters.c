// OPTIONS: --machines=4 --failures=1
// OUTCOMES: 2 0; 2 1; 3 0; 3 1
// COUNTS: 11 executions, 11 runs, 8 failure points
// The owner fails while two machines wait: both get the mutex, one after the other, and only the
// first is told.  X counts owners, Z those that were told.
#include "../cxl.h"

static void add(volatile uint64_t *word) {
  *word = *word + 1;
  clflush(word);
}

int main(void) {
  pthread_mutex_t *m = (pthread_mutex_t *)cxl_word(64);
  if (tidemark_machine() == 3) {
    yield_rounds(10);
    tidemark_assume(!tidemark_machine_failed(1) && !tidemark_machine_failed(2));
    unsigned long x = X, z = Z;
    SHOW("%lu %lu", x, z);
    return 0;
  }
  pthread_mutex_lock(m);
  if (tidemark_mutex_owner_failed(m))
    add(&Z);
  if (tidemark_machine() == 0)
    yield_rounds(1);
  add(&X);
  pthread_mutex_unlock(m);
}
