// OPTIONS:
// OUTCOMES: 0 0 0 0 0; 1 0 0 1 0; 1 2 0 1 2; 1 2 1 1 2
// COUNTS: 6 executions, 6 runs, 2 failure points
// memcpy out of shared memory is a load by another machine like any other: it reads what may have
// survived, and what it has read stays.
#include "../cxl.h"

int main(void) {
  uint64_t first[2], then[2];
  if (tidemark_machine() == 0) {
    uint64_t in[2] = {1, 2};
    memcpy((void *)&X, in, sizeof in);
    yield_rounds(1);
    commit();
    return 0;
  }
  memcpy(first, (void *)&X, sizeof first);
  yield_rounds(1);
  unsigned long z = Z;
  memcpy(then, (void *)&X, sizeof then);
  SHOW("%lu %lu %lu %lu %lu", first[0], first[1], z, then[0], then[1]);
}
