// OUTCOMES: 0; 1
// COUNTS: 6 executions, 4 runs, 3 failure points
/* A unit that was taken when the power failed may be gone. */
#include "../pm.h"
#include <semaphore.h>

struct state {
  sem_t units;
  _Alignas(64) uint64_t ready;
};

int main(void) {
  struct state *s = tidemark_region("state", sizeof *s);
  if (tidemark_failures()) {
    int value;
    tidemark_assume(s->ready);
    sem_getvalue(&s->units, &value);
    tidemark_outcome("%d", value);
    return 0;
  }
  sem_init(&s->units, 1, 1);
  clflush(&s->units);
  s->ready = 1;
  clflush(&s->ready);
  sem_wait(&s->units);
  return 0;
}
