// A flush is redundant only if nobody needs the place in the source: not another instance of its template, nor whoever
// else comes to an instruction that the compiler has made of two.
// BUILD
// FIND --analyses=flushes: redundant-flush at=again fix=remove_it_where_it_is_called; redundant-fence at=again; redundant-flush at=other; redundant-fence at=other
// BUILD -DMERGED -O1
// FIND --analyses=flushes: redundant-flush at=second fix=remove_it_where_it_is_called
#include "analysis.h"

static volatile int one = 1;

template <class T> static void keep(T *p) {
  clwb(p);
  sfence();
}

static inline void persist(void *p) {
  clwb(p);
  sfence();
}

static void store() {
  m->x = 1;
#ifdef MERGED
  switch (one) {
  case 1: m->y = 1; persist(&m->y); case 2: persist(&m->y); break; default: sfence(); //@second
  }
  persist(&m->x);
#else
  keep(&m->x);
  keep(&m->x);          //@again
  keep((char *)&m->y);  //@other
#endif
  m->z = 1;
  keep(&m->z);
}

int main() {
  m = static_cast<words *>(tidemark_region("m", sizeof *m));
  if (!tidemark_failures())
    store();
  else
    tidemark_outcome("%ld %ld %ld", m->x, m->y, m->z);
}
