// main ends with pthread_exit: the program goes on until its last thread ends, with status 0.
// RUN: %tidemark_cc %s -o %t && %t && %tidemark check %t
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int finished;

static void at_exit(void) {
  if (finished != 1)
    abort();
}

static void *work(void *main_thread) {
  assert(pthread_join(*(pthread_t *)main_thread, NULL) == 0);
  finished = 1;
  return NULL;
}

int main(void) {
  static pthread_t self;
  pthread_t t;
  self = pthread_self();
  atexit(at_exit);
  pthread_create(&t, NULL, work, &self);
  pthread_detach(t);
  pthread_exit(NULL);
}
