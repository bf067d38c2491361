// A robust mutex that was locked before there were other threads is abandoned at the end of its
// owner, or is still held.
// OUTCOMES: busy; dead
// COUNTS: 4 executions, 3 runs, 2 failure points
#include "../threads.h"
#include <errno.h>

static pthread_mutex_t mutex;

static void *try(void *argument) {
  (void)argument;
  tidemark_outcome(pthread_mutex_trylock(&mutex) == EOWNERDEAD ? "dead" : "busy");
  return NULL;
}

int main(void) {
  union pm_line *line = pm_lines(1);
  if (tidemark_failures())
    return 0;
  X = 1;
  pthread_mutexattr_t robust;
  pthread_mutexattr_init(&robust);
  pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &robust);
  pthread_mutex_lock(&mutex);
  pthread_t thread;
  pthread_create(&thread, NULL, try, NULL);
  pthread_exit(NULL);
}
