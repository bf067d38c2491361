// Figure 1.3 of the thesis: with r1 = 1 and r2 = 2, a flush is missing after x = 2.
// BUILD
// FIND --analyses=robustness: robustness lost=X2 survived=Y2 missed=R1 read=R2 after=X2 before=Y2 thread=0 needs=flush+fence; robustness lost=X1 survived=Y1 missed=R1; robustness lost=Y1 survived=X2 missed=R2
// BUILD -DFLUSHED
// CLEAN --analyses=robustness
#include "analysis.h"

#ifdef FLUSHED
#define persist(p) clwb(p), sfence()
#else
#define persist(p) (void)0
#endif

int main(void) {
  m = tidemark_region("m", sizeof *m);
  if (!tidemark_failures()) {
    m->x = 1; //@X1
    persist(&m->x);
    m->y = 1; //@Y1
    persist(&m->y);
    m->x = 2; //@X2
    persist(&m->x);
    m->y = 2; //@Y2
    return 0;
  }
  long r1 = m->x; //@R1
  long r2 = m->y; //@R2
  tidemark_outcome("%ld %ld", r1, r2);
  return 0;
}
