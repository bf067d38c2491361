// OPTIONS:
// OUTCOMES: 0 long; 1 long; 1 shorter; 2 short; 2 shorter
// COUNTS: 9 executions, 9 runs, 6 failure points
// How long a survivor waits for time to pass depends on how many turns had passed idly when the other
// machine failed: two failures with 20 turns between them do not leave it at the same place.
#include "../cxl.h"
#include <pthread.h>
#include <unistd.h>

static int woken;

static pthread_mutex_t *mutex(void) {
  return (pthread_mutex_t *)cxl_word(64);
}

static void *sleeper(void *unused) {
  (void)unused;
  usleep(1000);
  __atomic_store_n(&woken, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

int main(void) {
  pthread_t thread;
  if (tidemark_machine() == 0) {
    pthread_mutex_lock(mutex());
    yield_rounds(3);
    for (int i = 0; i < 2; i++) {
      X = (uint64_t)i + 1;
      clflush(&X);
      yield_rounds(20);
    }
    pthread_mutex_unlock(mutex());
    return 0;
  }
  pthread_create(&thread, NULL, sleeper, NULL);
  pthread_mutex_lock(mutex());
  int turns = 0;
  while (!__atomic_load_n(&woken, __ATOMIC_SEQ_CST)) {
    sched_yield();
    turns++;
  }
  SHOW("%lu %s", NUMBER(X), turns > 50 ? "long" : turns > 25 ? "shorter" : "short");
}
