// Machine 0 stores x, then a flag on another line.  Whoever has seen the flag, even while machine 0
// lived, can rely on x only if it was flushed in between.
// BUILD
// FIND --model=cxl --analyses=robustness: robustness at=x lost=x survived=flag missed=looks read=sees after=x before=flag thread=0 needs=flush+fence
// CLEAN --model=cxl --analyses=robustness --gpf
// FIND --model=cxl --analyses=robustness --coherence=cxlmc: robustness lost=x survived=flag missed=looks
// BUILD -DFLUSHED
// CLEAN --model=cxl --analyses=robustness
// CLEAN --model=cxl --analyses=robustness --failures=2
// BUILD -DUNFENCED
// FIND --model=cxl --analyses=robustness: robustness at=x lost=x survived=flag after=flush before=flag needs=fence
// BUILD -DIGNORED
// CLEAN --model=cxl --analyses=robustness
// That the flag was seen is known all the same, if machine 0 lived.
// BUILD -DPEEKED
// FIND --model=cxl --analyses=robustness: robustness at=x lost=x survived=flag missed=looks read=sees
// FIND --model=cxl --analyses=robustness --no-share: robustness at=x lost=x survived=flag missed=looks read=sees
// BUILD -DVALIDATED
// CLEAN --model=cxl --analyses=robustness
#include "analysis.h"

static void writer(void) {
  m->x = 1; //@x
#ifdef FLUSHED
  clflush(&m->x);
#endif
#ifdef UNFENCED
  clwb(&m->x); //@flush
#endif
  atomic_store_explicit((_Atomic long *)&m->y, 1, memory_order_release); //@flag
  sched_yield();
}

static void reader(void) {
#if defined IGNORED || defined PEEKED
  tidemark_ignore_begin();
#endif
#ifdef VALIDATED
  tidemark_checksum_begin(m, sizeof *m);
#endif
  long flag = m->y; //@sees
#ifdef PEEKED
  tidemark_ignore_end();
#endif
  long x = m->x;    //@looks
#ifdef VALIDATED
  tidemark_checksum_end(1);
#endif
#ifdef IGNORED
  tidemark_ignore_end();
#endif
  tidemark_outcome("%ld %ld", flag, x);
}

int main(void) {
  m = tidemark_region("m", sizeof *m);
  if (tidemark_machine() == 0)
    writer();
  else
    reader();
  return 0;
}
