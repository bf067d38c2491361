// A flush counts if its machine has stored something since its last one, whoever else has written the line
// back meanwhile.
// BUILD
// FIND --model=cxl --analyses=flushes: redundant-flush at=again; redundant-flush at=other; redundant-fence at=nothing
// BUILD -DGLOBAL
// FIND --model=cxl --analyses=flushes --flush=global: redundant-flush at=again; redundant-fence at=nothing
#include "analysis.h"

static void first(void) {
  m->x = 1;
  sched_yield(); // the other machine reads it
  clflush(&m->x);
  clflush(&m->x); //@again
  m->y = 1;
  clwb(&m->y);
  sfence();
  sfence(); //@nothing
}

static void second(void) {
  long x = m->x;
  clflush(&m->x); //@other
  tidemark_outcome("%ld", x);
}

int main(void) {
  m = tidemark_region("m", sizeof *m);
  if (tidemark_machine() == 0)
    first();
  else
    second();
  return 0;
}
