// Figures 5.2 to 5.4 of the thesis, and with y on another line also 5.7.
//
// 5.2, 5.3: x is flushed before the failure.  As the text says, other executions expose a race: the one
// that fails before the flush.
// BUILD -DCLFLUSH
// FIND --analyses=races --races=baseline: persistency-race at=X torn=X read=RX
// BUILD -DCLWB
// FIND --analyses=races --races=baseline: persistency-race at=X torn=X read=RX
// 5.2, 5.3 with the failure after the flush: the recovery reads x only if it sees y, which is stored
// later, on a line of its own.  No race.
// BUILD -DCLFLUSH -DGUARDED
// CLEAN --analyses=races --races=baseline
// CLEAN --analyses=races
// BUILD -DCLWB -DGUARDED
// CLEAN --analyses=races --races=baseline
// CLEAN --analyses=races
// A clwb without a fence does not count.
// BUILD -DCLWB_ONLY -DGUARDED
// FIND --analyses=races --races=baseline: persistency-race torn=X read=RX
// 5.4: an atomic release store to the same line was read first.
// BUILD -DSAME_LINE -DGUARDED
// CLEAN --analyses=races
// CLEAN --analyses=races --races=baseline
// It has to be read before, and to be a release store.
// BUILD -DSAME_LINE
// FIND --analyses=races: persistency-race torn=X read=RX
// BUILD -DSAME_LINE -DGUARDED -DRELAXED
// FIND --analyses=races: persistency-race torn=X read=RX
#include "analysis.h"

struct pair {
  _Alignas(64) long x;
#ifndef SAME_LINE
  _Alignas(64)
#endif
      _Atomic long y;
};

#ifdef RELAXED
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_release
#endif

static struct pair *p;

static void before(void) {
  p->x = 1; //@X
#if defined CLFLUSH
  clflush(&p->x);
#elif defined CLWB
  clwb(&p->x);
  sfence();
#elif defined CLWB_ONLY
  clwb(&p->x);
#endif
  atomic_store_explicit(&p->y, 1, ORDER);
}

static void after(void) {
#ifdef GUARDED
  if (!atomic_load(&p->y))
    return;
#endif
  tidemark_outcome("%ld", p->x); //@RX
}

int main(void) {
  p = tidemark_region("p", sizeof *p);
  if (tidemark_failures())
    after();
  else
    before();
  return 0;
}
