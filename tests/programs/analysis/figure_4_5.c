// Figure 4.5 of the thesis: the second thread has read x.  A flush right after the store of x does
// not help, because its thread may be stopped before it: who has read x must persist it.
// BUILD
// FIND --analyses=robustness: robustness at=X lost=X survived=Y missed=R2 read=R3 after=R1 before=Y thread=2 needs=flush+fence fix=persist_what_was_read_here
// BUILD -DPERSISTS
// CLEAN --analyses=robustness
// BUILD -DFREE
// FIND --analyses=robustness --schedule=all: robustness at=X lost=X survived=Y missed=R2 read=R3 after=R1 before=Y thread=2
// BUILD -DFREE -DPERSISTS
// CLEAN --analyses=robustness --schedule=all
#include "analysis.h"

#ifdef FREE
#define wait_for(n) (void)0
#endif

static void *first(void *unused) {
  wait_for(0);
  m->x = 1; //@X
  turn = 1; // the other one goes on before the flush
  wait_for(2);
  clflush(&m->x);
  return unused;
}

static void *second(void *unused) {
  wait_for(1);
  long r1 = m->x; //@R1
#ifdef PERSISTS
  clwb(&m->x);
  sfence();
#endif
  m->y = r1; //@Y
  clflush(&m->y);
  turn = 2;
  return unused;
}

int main(void) {
  m = tidemark_region("m", sizeof *m);
  if (!tidemark_failures()) {
    run_two(first, second);
    return 0;
  }
  long r2 = m->x; //@R2
  long r3 = m->y; //@R3
  tidemark_outcome("%ld %ld", r2, r3);
  return 0;
}
