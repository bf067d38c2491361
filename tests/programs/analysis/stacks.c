// How the program came to each of the accesses: through which calls.  One function stores both, another
// loads both.
// BUILD
// FIND --analyses=robustness: robustness at=put lost=put survived=put missed=get read=get stack:lost=put<first<fill<main stack:survived=put<second<fill<main stack:missed=get<look<main stack:read=get<peek<look<main
// FIND --analyses=races: persistency-race at=put torn=put stack:torn=put<second<fill<main stack:read=get<peek<look<main
// After the second failure the load comes by another way.
// BUILD -DTWICE
// FIND --analyses=robustness --failures=2: robustness at=put stack:lost=put<first<fill<main stack:missed=get<look<again<main
// A store leaves its buffer later, in the middle of something else.
// BUILD -DTHREADS
// FIND --analyses=robustness --schedule=all: robustness at=put stack:lost=put<first<fill<writer stack:survived=put<second<fill<writer stack:missed=get<look<main
// BUILD -DMACHINES
// FIND --model=cxl --analyses=robustness: robustness at=put stack:lost=put<first<fill<main stack:survived=put<second<fill<main stack:missed=get<look<main stack:read=get<peek<look<main
// FIND --model=cxl --analyses=robustness --failures=2: robustness at=put stack:lost=put<first<fill<main stack:missed=get<look<main
// FIND --model=cxl --analyses=robustness --coherence=cxlmc: robustness at=put stack:lost=put<first<fill<main stack:missed=get<look<main
#include "analysis.h"

#define CALL __attribute__((noinline))

static long seen;

static CALL void put(long *p) {
  *p = 1; //@put
  __asm__ volatile("");
}

static CALL long get(const long *p) {
  long value = *(volatile const long *)p; //@get
  __asm__ volatile("");
  return value;
}

static CALL void first(void) {
  put(&m->x);
  __asm__ volatile("");
}

static CALL void second(void) {
  put(&m->y);
  __asm__ volatile("");
}

static CALL void fill(void) {
  first();
  second();
  __asm__ volatile("");
}

static CALL long peek(void) {
  long y = get(&m->y);
  __asm__ volatile("");
  return y;
}

static CALL void look(void) {
  seen = peek();
  seen += get(&m->x);
  __asm__ volatile("");
}

static CALL void again(void) {
  look();
  __asm__ volatile("");
}

static CALL void *writer(void *unused) {
  fill();
  __asm__ volatile("");
  return unused;
}

static CALL void *idle(void *unused) {
  sched_yield();
  return unused;
}

int main(void) {
  m = tidemark_region("m", sizeof *m);
#if defined MACHINES
  if (tidemark_machine() == 0)
    fill();
  else
    look();
#elif defined TWICE
  switch (tidemark_failures()) {
  case 0:
    fill();
    break;
  case 1:
    m->z = 1;
    break;
  default:
    again();
  }
#else
  if (tidemark_failures())
    look();
#ifdef THREADS
  else
    run_two(writer, idle);
#else
  else
    fill();
#endif
#endif
  tidemark_outcome("%ld", seen);
  return 0;
}
