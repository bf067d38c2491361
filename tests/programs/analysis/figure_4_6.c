// Figure 4.6 of the thesis: reading x = 0 after the first failure and y = 1 after the second is not
// robust.  That y = 2 was lost is nothing special.
// BUILD
// FIND --failures=2 --analyses=robustness: robustness lost=X survived=Y1 missed=R read=S after=X before=Y1
// BUILD -DFLUSHED
// CLEAN --failures=2 --analyses=robustness
#include "analysis.h"

int main(void) {
  m = tidemark_region("m", sizeof *m);
  switch (tidemark_failures()) {
  case 0:
    m->x = 1; //@X
#ifdef FLUSHED
    clflush(&m->x);
#endif
    m->y = 1; //@Y1
    break;
  case 1: {
    long r = m->x; //@R
    m->y = 2;
    tidemark_outcome("r=%ld", r);
    break;
  }
  default: {
    long s = m->y; //@S
    tidemark_outcome("s=%ld", s);
  }
  }
  return 0;
}
