// Machine 1 has seen the flag of machine 0, and both fail.  Machine 2 misses x: that is robust, since
// machine 0 may have done nothing, unless machine 2 has heard of the flag, too.
// BUILD
// CLEAN --model=cxl --machines=3 --failures=2 --analyses=robustness
// BUILD -DTELL
// FIND --model=cxl --machines=3 --failures=2 --analyses=robustness: robustness lost=x survived=flag missed=looks read=sees after=x before=flag
// FIND --model=cxl --machines=3 --failures=1 --analyses=robustness: robustness lost=x survived=flag missed=looks
// BUILD -DTELL -DFLUSHED
// CLEAN --model=cxl --machines=3 --failures=2 --analyses=robustness
#include "analysis.h"

static void first(void) {
  m->x = 1; //@x
#ifdef FLUSHED
  clflush(&m->x);
#endif
  m->y = 1; //@flag
}

static void second(void) {
  long flag = m->y; //@sees
#ifdef TELL
  m->z = flag; //@told
#else
  tidemark_outcome("%ld", flag);
#endif
}

static void third(void) {
#ifdef TELL
  long told = m->z; //@hears
#else
  long told = tidemark_machine_failed(1);
#endif
#ifndef TELL
  if (!tidemark_machine_failed(0) || !told)
    return;
#endif
  long x = m->x; //@looks
  tidemark_outcome("%ld %ld", told, x);
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
