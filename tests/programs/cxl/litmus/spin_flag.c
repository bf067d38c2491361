// OPTIONS:
// OUTCOMES: 0 0; 0 1; 1 1
// COUNTS: 7 executions, 7 runs, 4 failure points
// Message passing with an atomic flag; the receiver stops waiting when the sender has failed.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    yield_rounds(2);
    X = 1;
    clflush(&X);
    __atomic_store_n(&Z, 1, __ATOMIC_RELEASE);
    return 0;
  }
  unsigned long flag;
  while (!(flag = __atomic_load_n(&Z, __ATOMIC_ACQUIRE)) && !tidemark_machine_failed(0))
    sched_yield();
  flag = Z;
  SHOW("%lu %lu", flag, NUMBER(X));
}
