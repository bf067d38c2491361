// Of two flushes that cover the same, the first has the effect, also if both wait in the store buffer behind a fence.
// BUILD
// FIND --analyses=flushes --schedule=all: redundant-fence at=FENCE
// BUILD -DCLEAN_LINE
// FIND --analyses=flushes --schedule=all: redundant-fence at=FENCE; redundant-flush at=FIRST; redundant-flush at=SECOND
#include "analysis.h"

static _Atomic long done;

static void *store(void *unused) {
#ifndef CLEAN_LINE
  m->x = 1;
#else
  m->y = 1;
#endif
  return unused;
}

static void *flush(void *unused) {
  sfence();    //@FENCE
  clwb(&m->x); //@FIRST
  clwb(&m->x); //@SECOND
  done = 1;    /* a locked instruction: a fence that is not looked at */
  return unused;
}

int main(void) {
  m = tidemark_region("words", sizeof *m);
  if (tidemark_failures() == 0)
    run_two(store, flush);
  else
    tidemark_outcome("%ld", m->x);
}
