// A load that is ignored has missed x, and reads what a live machine had stored before: that says nothing of x, and the
// load of machine 2, which counts, shows that x was lost.
// BUILD
// FIND --model=cxl --machines=3 --analyses=robustness: robustness lost=x survived=flag missed=looks read=sees
// BUILD -DPERSISTS
// CLEAN --model=cxl --machines=3 --analyses=robustness
#include "analysis.h"

static void first(void) {
  m->x = 1;
  clflush(&m->x);
  sched_yield();
  tidemark_ignore_begin();
  tidemark_outcome("%ld", m->x);
  tidemark_ignore_end();
}

static void second(void) {
  m->x = 2; //@x
#ifdef PERSISTS
  clflush(&m->x);
#endif
  m->y = 1; //@flag
  clflush(&m->y);
}

static void third(void) {
  sched_yield();
  long y = m->y; //@sees
  long x = m->x; //@looks
  tidemark_outcome("%ld %ld", y, x);
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
