// What a lock tells others.  Unlocking says that everything before it was done; that the owner of a robust
// mutex failed, that everything before the locking was; that of another one, nothing.
// BUILD -DUNLOCK
// FIND --model=cxl --analyses=robustness: robustness lost=x survived=unlock missed=looks after=x before=unlock
// BUILD -DUNLOCK -DFLUSHED
// CLEAN --model=cxl --analyses=robustness
// BUILD -DUNLOCK -DLATE
// FIND --model=cxl --analyses=robustness: robustness lost=x survived=unlock missed=looks after=x before=unlock
// BUILD -DROBUST
// FIND --model=cxl --analyses=robustness: robustness lost=x survived=lock missed=looks after=x before=lock
// BUILD -DROBUST -DFLUSHED
// CLEAN --model=cxl --analyses=robustness
// BUILD
// FIND --model=cxl --analyses=robustness --keep-going: deadlock
#include "analysis.h"
#include <errno.h>

struct shared {
  struct words words;
  pthread_mutex_t mutex;
};

static struct shared *shared;

static void prepare(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
#ifdef ROBUST
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
#endif
  pthread_mutex_init(&shared->mutex, &attributes);
}

static void writer(void) {
  prepare();
  m->x = 1; //@x
#ifdef FLUSHED
  clflush(&m->x);
#endif
  pthread_mutex_lock(&shared->mutex); //@lock
  m->y = 1;
  clflush(&m->y);
#ifdef UNLOCK
  pthread_mutex_unlock(&shared->mutex); //@unlock
#else
  sched_yield();
  sched_yield();
#endif
}

static void reader(void) {
#ifdef LATE // it is the last survivor before it comes to the lock
  if (!tidemark_machine_failed(0))
    return;
#endif
  int told = pthread_mutex_lock(&shared->mutex);
#ifdef UNLOCK
  if (!m->z) // it does not depend on y
#else
  if (tidemark_machine_failed(0))
#endif
  {
    long x = m->x; //@looks
    tidemark_outcome("%d %ld", told == EOWNERDEAD, x);
  }
}

int main(void) {
  shared = tidemark_region("m", sizeof *shared);
  m = &shared->words;
  if (tidemark_machine() == 0)
    writer();
  else
    reader();
  return 0;
}
