// Machine 1 flushes the line of x while machine 0, which has stored it, is alive, as it says afterwards: that
// makes x whole only if flushes reach other caches.  LATE: after machine 0 has failed, no flush does.
// BUILD
// FIND --model=cxl --machines=2 --analyses=races: persistency-race torn=x read=looks
// CLEAN --model=cxl --machines=2 --analyses=races --flush=global
// BUILD -DLATE
// FIND --model=cxl --machines=2 --analyses=races --flush=global: persistency-race torn=x read=looks
#include "analysis.h"

static void set(long *p, long value) {
  __atomic_store_n(p, value, __ATOMIC_RELEASE);
}

static void first(void) {
  m->x = 1; //@x
  set(&m->y, 1);
  sched_yield();
  if (m->z)
    set(&m->y, 2);
}

static void second(void) {
#ifdef LATE
  if (!tidemark_machine_failed(0))
    return;
#endif
  if (!m->y)
    return;
  clflush(&m->x);
  set(&m->z, 1);
  sched_yield();
#ifndef LATE
  if (m->y != 2 || !tidemark_machine_failed(0))
    return;
#endif
  tidemark_outcome("%ld", m->x); //@looks
}

int main(void) {
  m = tidemark_region("m", sizeof *m);
  if (tidemark_machine() == 0)
    first();
  else
    second();
  return 0;
}
