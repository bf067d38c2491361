// Machine 1 misses x and fails; nobody has heard of that when machine 2, which looks only then, sees what
// machine 0 stored after x.  Machine 1 may have looked at nothing.
// BUILD
// CLEAN --model=cxl --machines=3 --failures=2 --analyses=robustness
// BUILD -DALIVE
// FIND --model=cxl --machines=3 --failures=2 --analyses=robustness: robustness lost=x survived=flag missed=looks read=sees
#include "analysis.h"

static void first(void) {
  m->x = 1; //@x
  m->y = 1; //@flag
  clflush(&m->y);
}

static void second(void) {
  if (tidemark_machine_failed(0))
    tidemark_outcome("%ld", m->x); //@looks
}

static void third(void) {
#ifndef ALIVE
  if (!tidemark_machine_failed(1))
    return;
#endif
  tidemark_outcome("%ld", m->y); //@sees
}

int main(void) {
  m = tidemark_region("m", sizeof *m);
  if (tidemark_machine() == 0)
    first();
  else if (tidemark_machine() == 1)
    second();
  else
    third();
  return 0;
}
