// Figures 5.5 and 5.6 of the thesis, by its example for threads: x is stored and flushed by one
// thread, then another one sets a flag; the recovery looks at x if the flag is set.  Wherever the
// failure is put into this execution, x is flushed by then: no race, says the baseline.  But nothing
// that was read happens after the flush, so the failure could have come before it.
// BUILD
// CLEAN --analyses=races --races=baseline
// FIND --analyses=races: persistency-race at=X torn=X read=RX fix=make_it_atomic
// Every schedule: the baseline finds it, too.
// BUILD -DFREE
// FIND --analyses=races --races=baseline --schedule=all: persistency-race at=X torn=X read=RX
// Figure 5.7: the flag is set by a thread that has seen the flush.
// BUILD -DSEEN
// CLEAN --analyses=races
// BUILD -DSEEN -DFREE
// CLEAN --analyses=races --schedule=all
#include "analysis.h"

#ifdef FREE
#define wait_for(n) (void)0
#endif

struct pair {
  _Alignas(64) long x;
  _Alignas(64) _Atomic long flag;
};

static struct pair *p;
static atomic_int flushed;

static void *first(void *unused) {
  wait_for(0);
  p->x = 1; //@X
  clflush(&p->x);
#ifdef SEEN
  flushed = 1;
#endif
  turn = 1;
  return unused;
}

static void *second(void *unused) {
  wait_for(1);
#ifdef SEEN
  if (flushed)
#endif
    atomic_store_explicit(&p->flag, 1, memory_order_release);
  return unused;
}

int main(void) {
  p = tidemark_region("p", sizeof *p);
  if (!tidemark_failures()) {
    run_two(first, second);
    return 0;
  }
  if (atomic_load(&p->flag))
    tidemark_outcome("%ld", p->x); //@RX
  return 0;
}
