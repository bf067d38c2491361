// Flushes and fences without effect, by line and caller.
// BUILD
// FIND --analyses=flushes: redundant-fence at=FENCE; redundant-flush at=AGAIN fix=remove_it; redundant-fence at=AGAIN; redundant-flush at=OPEN fix=add_a_fence
// The compiler copies the body of a loop: still the same lines.
// BUILD -O3 -funroll-loops
// FIND --analyses=flushes: redundant-fence at=FENCE; redundant-flush at=AGAIN; redundant-fence at=AGAIN; redundant-flush at=OPEN
// A flush in a recovery that is never followed by a failure counts like any other.
// BUILD -DRECOVERS
// FIND --analyses=flushes: redundant-fence at=FENCE; redundant-flush at=AGAIN; redundant-fence at=AGAIN; redundant-flush at=OPEN
// A non-temporal store needs no flush, but its fence.
// BUILD -DSTREAM
// FIND --analyses=flushes: redundant-flush at=NEEDLESS
// Several threads in one schedule say nothing about others.
// BUILD -DTHREADS
// CLEAN --analyses=flushes
// CLEAN --analyses=flushes --schedule=random --runs=5
#include "analysis.h"

static void persist(void *p) {
  clwb(p);
  sfence();
}

static void *flusher(void *unused) {
  m->x = 1;
  persist(&m->x);
  persist(&m->x);
  return unused;
}

static void before(void) {
#if defined STREAM
  _mm_stream_si64((long long *)&m->x, 1);
  clwb(&m->x); //@NEEDLESS
  sfence();
#elif defined THREADS
  run_two(flusher, flusher);
#else
  for (int i = 0; i < 4; i++) {
    m->x = i;
    clflush(&m->x);
    sfence();       //@FENCE
    persist(&m->x); //@AGAIN
    m->y = i;
    persist(&m->y);
  }
  m->y = 7;
  clwb(&m->y); //@OPEN
#endif
  (void)flusher;
}

static void after(void) {
  tidemark_outcome("%ld %ld", m->x, m->y);
#ifdef RECOVERS
  m->z = m->x;
  persist(&m->z);
#endif
}

int main(void) {
  m = tidemark_region("m", sizeof *m);
  if (tidemark_failures())
    after();
  else
    before();
  return 0;
}
