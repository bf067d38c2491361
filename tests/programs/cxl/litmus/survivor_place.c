// OPTIONS:
// MACHINES: survivor_place.c heap; survivor_place.c heap
// OUTCOMES: 0 1; 1 1; 2 1; 3 1
// COUNTS: 7 executions, 5 runs, 3 failure points
// OPTIONS:
// MACHINES: survivor_place.c descriptor; survivor_place.c descriptor
// OUTCOMES: 0 2; 1 2; 1 3; 2 3; 2 4; 3 4
// COUNTS: 7 executions, 7 runs, 3 failure points
// OPTIONS:
// MACHINES: survivor_place.c key; survivor_place.c key
// OUTCOMES: 0 2; 1 2; 1 3; 2 3; 2 4; 3 4
// COUNTS: 7 executions, 7 runs, 3 failure points
// OPTIONS:
// MACHINES: survivor_place.c kind; survivor_place.c kind
// OUTCOMES: 0 0; 1 0; 1 35; 2 0; 2 35; 3 0
// COUNTS: 10 executions, 10 runs, 6 failure points
// What a survivor finds besides the bytes of shared memory can depend on what the failed machine
// did: descriptors and keys are numbered across machines, and the kind of a mutex is in
// memory that nobody loads.  Failures that leave different numbers must not share what follows.
// Heaps are separate.
#include "../cxl.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>

enum { KINDS = 2 };
static const int kinds[KINDS] = {PTHREAD_MUTEX_RECURSIVE_NP, PTHREAD_MUTEX_ERRORCHECK_NP};

static pthread_mutex_t *mutex(void) {
  return (pthread_mutex_t *)cxl_word(64);
}

/* One more of what the number counts. */
static long number(const char *what) {
  pthread_key_t key;
  switch (*what) {
  case 'h': return (long)((uintptr_t)malloc(64) / 64);
  case 'd': return open("/dev/null", O_RDONLY);
  default: pthread_key_create(&key, NULL); return key;
  }
}

static void change(const char *what, int i) {
  if (strcmp(what, "kind") == 0)
    *(volatile int *)&mutex()->__data.__kind = kinds[i % KINDS];
  else
    number(what);
}

static long find(const char *what, long before) {
  if (strcmp(what, "kind") != 0)
    return number(what) - before;
  pthread_mutex_lock(mutex());
  return pthread_mutex_lock(mutex()); /* recursive: 0, checking: EDEADLK */
}

int main(int argc, char **argv) {
  const char *what = argv[argc - 1];
  if (tidemark_machine() == 0) {
    yield_rounds(1);
    for (int i = 0; i < 3; i++) {
      change(what, i);
      X = (uint64_t)i + 1;
      clflush(&X);
    }
    return 0;
  }
  long before = strcmp(what, "kind") ? number(what) : 0;
  yield_rounds(1);
  unsigned long x = X;
  SHOW("%lu %ld", x, find(what, before));
}
