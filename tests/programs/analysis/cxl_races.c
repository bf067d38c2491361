// A machine that fails leaves a store that is not atomic.  Another one knows that it is complete if the machine
// has flushed it, or if it has itself had the line written back, after it knew of the store.
// BUILD
// FIND --model=cxl --analyses=races: persistency-race at=x torn=x read=looks fix=make_it_atomic
// FIND --model=cxl --analyses=races --races=baseline: persistency-race at=x torn=x read=looks
// What was read while nobody looks, and is read again, counts.
// BUILD -DIGNORE
// FIND --model=cxl --analyses=races: persistency-race at=x torn=x read=looks
// BUILD -DATOMIC
// CLEAN --model=cxl --analyses=races
// BUILD -DFLUSHED
// FIND --model=cxl --analyses=races: persistency-race at=x torn=x read=looks
// FIND --model=cxl --analyses=races --races=baseline: persistency-race at=x torn=x read=looks
// BUILD -DFLUSHED -DSEEN
// FIND --model=cxl --analyses=races: persistency-race at=x torn=x read=looks
// CLEAN --model=cxl --analyses=races --races=baseline
// BUILD -DFLUSHED -DWAIT
// CLEAN --model=cxl --analyses=races
// BUILD -DWAIT
// FIND --model=cxl --analyses=races: persistency-race at=x torn=x read=looks
// BUILD -DWAIT -DFETCH
// CLEAN --model=cxl --analyses=races
#include "analysis.h"

static void writer(void) {
#ifdef ATOMIC
  atomic_store_explicit((_Atomic long *)&m->x, 1, memory_order_relaxed);
#else
  m->x = 1; //@x
#endif
#ifdef FLUSHED
  clflush(&m->x);
#endif
  atomic_store_explicit((_Atomic long *)&m->y, 1, memory_order_release);
  sched_yield();
}

static void reader(void) {
#ifdef WAIT
  if (!m->y)
    return;
#endif
#ifdef FETCH
  m->pad_x[0] = 1; // on the line of x
#endif
#if defined FETCH || defined SEEN
  if (tidemark_machine_failed(0))
    return; // it lived until here
#endif
  if (tidemark_machine_failed(0)) {
#ifdef IGNORE
    tidemark_ignore_begin();
    tidemark_outcome("%ld", m->x);
    tidemark_ignore_end();
#endif
    long x = m->x; //@looks
    tidemark_outcome("%ld", x);
  }
}

int main(void) {
  m = tidemark_region("m", sizeof *m);
  if (tidemark_machine() == 0)
    writer();
  else
    reader();
  return 0;
}
