// The parts of a copy, or of a store, lie on two cache lines: no flush can be put between them.
// BUILD
// FIND --analyses=robustness: robustness lost=copy survived=copy needs= fix=no_flush_fits_between_the_parts_of_this_copy
// FIND --analyses=robustness --schedule=all: robustness lost=copy survived=copy needs= fix=no_flush_fits_between_the_parts_of_this_copy
// BUILD -DASSERT
// FIND : assertion needs= fix=no_flush_fits_between_the_parts_of_this_copy
// BUILD -DALIGNED
// CLEAN --analyses=robustness
// BUILD -DLONG
// FIND --analyses=robustness: robustness lost=long survived=long needs= fix=no_flush_fits_between_the_parts_of_this_store
// Two copies that follow each other leave room for a flush.
// BUILD -DTWO
// FIND --analyses=robustness: robustness lost=first survived=second after=first before=second needs=flush+fence
// BUILD -DTWO -DFLUSHED
// CLEAN --analyses=robustness
#include "analysis.h"

struct pair {
  long a, b;
};

struct pool {
#ifndef ALIGNED
  long before[7];
#endif
  struct pair p;
  long after[7];
  struct pair q, r;
};

typedef long unaligned_long __attribute__((aligned(1)));

static struct pool *pool;
static struct pair full = {1, 1}, *from = &full;

static void change(void) {
#if defined LONG
  *(unaligned_long *)((char *)&pool->p + 4) = -1; //@long
#elif defined TWO
  pool->q = *from; //@first
#ifdef FLUSHED
  clflush(&pool->q);
#endif
  pool->before[0] = 1; //@second
#else
  pool->p = *from; //@copy
#endif
}

int main(void) {
  pool = tidemark_region("pool", sizeof *pool);
  if (tidemark_failures() == 0) {
    change();
    return 0;
  }
#if defined TWO
  tidemark_outcome("%ld %ld", pool->before[0], pool->q.b);
#else
  long a = pool->p.a, b = pool->p.b;
#ifdef ASSERT
  tidemark_assert(a == 1 || b == 0);
#endif
  tidemark_outcome("%ld %ld", a, b);
#endif
  return 0;
}
