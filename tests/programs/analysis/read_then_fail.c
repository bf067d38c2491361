// The first recovery misses x, has nothing left to lose, and fails; the second one reads what was stored after x.
// BUILD
// FIND --failures=2 --analyses=robustness: robustness lost=x survived=y missed=misses read=reads after=x before=y
// CLEAN --failures=1 --analyses=robustness
// BUILD -DFLUSHED
// CLEAN --failures=2 --analyses=robustness
#include "analysis.h"

int main(void) {
  m = tidemark_region("m", sizeof *m);
  if (tidemark_failures() == 0) {
    m->x = 1; //@x
#ifdef FLUSHED
    clflush(&m->x);
#endif
    m->y = 1; //@y
  } else if (tidemark_failures() == 1) {
    m->z = 1;
    clflush(&m->z);
    tidemark_outcome("%ld", m->x); //@misses
  } else {
    tidemark_outcome("%ld", m->y); //@reads
  }
  return 0;
}
