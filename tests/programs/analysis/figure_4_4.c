// Figure 4.4 of the thesis: two threads that do not know of each other.  x = 0 and y = 1 is robust,
// although x was stored first: only the second thread may have come that far.
// BUILD
// CLEAN --analyses=robustness
// BUILD -DFREE
// CLEAN --analyses=robustness --schedule=all
#include "analysis.h"

#ifdef FREE
#define wait_for(n) (void)0
#endif

static void *first(void *unused) {
  wait_for(0);
  m->x = 1;
  turn = 1; // the other one goes on before the flush
  wait_for(2);
  clflush(&m->x);
  return unused;
}

static void *second(void *unused) {
  wait_for(1);
  m->y = 1;
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
  long r1 = m->x, r2 = m->y;
  tidemark_outcome("%ld %ld", r1, r2);
  return 0;
}
