// pthread_exit runs the handlers of pthread_cleanup_push, innermost first.
// RUN: %tidemark_cc %s -o %t && %t && %tidemark check %t
// RUN: %tidemark_cc -fexceptions %s -o %t && %t && %tidemark check %t
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char order[8];

static void note(void *letter) {
  strcat(order, letter);
}

static void deeper(void) {
  int old;
  pthread_cleanup_push(note, "b");
  pthread_cleanup_push(note, "x");
  pthread_cleanup_pop(0);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
  pthread_testcancel();
  pthread_exit((void *)5);
  pthread_cleanup_pop(0);
}

static void *body(void *unused) {
  pthread_cleanup_push(note, "a");
  deeper();
  pthread_cleanup_pop(0);
  return unused;
}

int main(void) {
  pthread_t t;
  void *result = NULL;
  pthread_create(&t, NULL, body, NULL);
  pthread_join(t, &result);
  assert(result == (void *)5 && strcmp(order, "ba") == 0);
  pthread_cleanup_push(note, "c");
  pthread_cleanup_pop(1);
  assert(strcmp(order, "bac") == 0);
  return 0;
}
