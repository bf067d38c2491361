// Figure 4.2 of the thesis: with r1 = 2 and r2 = 5, there is no flush and drain operation after y = 4.
// BUILD
// FIND --analyses=robustness: robustness lost=Y4 survived=X5 missed=R1 read=R2 after=Y4 before=X5 needs=flush+fence; robustness lost=X1; robustness lost=Y2; robustness lost=X3
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
    m->y = 2; //@Y2
    persist(&m->y);
    m->x = 3; //@X3
    persist(&m->x);
    m->y = 4; //@Y4
    persist(&m->y);
    m->x = 5; //@X5
    return 0;
  }
  long r1 = m->y; //@R1
  long r2 = m->x; //@R2
  tidemark_outcome("%ld %ld", r1, r2);
  return 0;
}
