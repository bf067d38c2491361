// Threads and main have the stacks Linux gives them; a size that was asked for is honoured.
// RUN: %tidemark_cc %s -o %t && %t && %tidemark check %t
#include <assert.h>
#include <pthread.h>

static char *volatile sink;

__attribute__((noinline)) static long deep(long frames) {
  char frame[4096];
  sink = frame;
  frame[0] = 1;
  return frames ? deep(frames - 1) + frame[0] : 0;
}

static void *body(void *frames) {
  assert(deep((long)frames) == (long)frames);
  return NULL;
}

int main(void) {
  pthread_attr_t attr;
  pthread_t t;
  body((void *)1500); /* 6 MB */
  pthread_create(&t, NULL, body, (void *)1500);
  pthread_join(t, NULL);
  pthread_attr_init(&attr);
  assert(pthread_attr_setstacksize(&attr, 20 << 20) == 0);
  pthread_create(&t, &attr, body, (void *)4000);
  pthread_join(t, NULL);
  return 0;
}
