// A store of the value that its word has already, which the other thread flushes: once that is done it is certain that
// it survived, and x, which was stored before it, can be lost. AGAIN: the value is that of an earlier store.
// BUILD
// FIND --analyses=robustness --schedule=all: robustness at=X lost=X survived=Y missed=RX read=RY needs=flush+fence
// BUILD -DAGAIN
// FIND --analyses=robustness --schedule=all: robustness lost=X survived=Y missed=RX read=RY; robustness lost=OLD survived=X missed=RY read=RX
// BUILD -DPERSISTS
// CLEAN --analyses=robustness --schedule=all
#include "analysis.h"

#ifdef AGAIN
#define VALUE 2
#else
#define VALUE 0
#endif

static void *first(void *unused) {
#ifdef AGAIN
  m->y = VALUE; //@OLD
#endif
  m->x = 1; //@X
#ifdef PERSISTS
  clflush(&m->x);
#endif
  m->y = VALUE; //@Y
  return unused;
}

static void *second(void *unused) {
  clflush(&m->y);
  return unused;
}

int main(void) {
  m = tidemark_region("m", sizeof *m);
  if (!tidemark_failures()) {
    run_two(first, second);
    return 0;
  }
  long y = m->y; //@RY
  long x = m->x; //@RX
  tidemark_outcome("%ld %ld", y, x);
  return 0;
}
