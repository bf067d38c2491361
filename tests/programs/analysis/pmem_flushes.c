// Calls of libpmem that have no effect.
// BUILD -Wl,--no-as-needed -lpmem
// FIND --analyses=flushes: redundant-flush at=again fix=remove_it; redundant-fence at=drain fix=remove_it; redundant-flush at=open
#include "analysis.h"
#include <libpmem.h>

int main(void) {
  m = tidemark_region("m", sizeof *m);
  if (tidemark_failures()) {
    long x = m->x, y = m->y;
    tidemark_outcome("%ld %ld", x, y);
    return 0;
  }
  m->x = 1;
  pmem_persist(&m->x, sizeof m->x);
  pmem_persist(&m->x, sizeof m->x); //@again
  m->y = 1;
  pmem_flush(&m->y, sizeof m->y);
  pmem_drain();
  pmem_drain(); //@drain
  m->z = 1;
  pmem_flush(&m->z, sizeof m->z);
  pmem_persist(&m->y, sizeof m->y); // its fence counts
  m->z = 2;
  pmem_flush(&m->z, sizeof m->z); //@open
  return 0;
}
