// Threads that end elsewhere than at the end of their function.
// CHECK sc: verified
// CHECK rc11: verified
// CHECK aarch64: verified
// CHECK rc11 -DWRONG=1: violated 29
// ENDS sc
#ifndef WRONG
#define WRONG 0
#endif
#include <assert.h>
#include <pthread.h>
#include <threads.h>
static int written;
static void leave(int how) {
  written = how;
  if (how == 1)
    pthread_exit((void *)41);
  thrd_exit(42);
}
static void *first(void *p) { leave(1); assert(0); return p; }
static int second(void *p) { if (!p) leave(2); return *(int *)p; }
int main(void) {
  pthread_t t;
  thrd_t u;
  void *r;
  int s;
  pthread_create(&t, 0, first, 0);
  pthread_join(t, &r);
  assert(r == (void *)(WRONG + 41));
  thrd_create(&u, second, 0);
  thrd_join(u, &s);
  assert(written == 2 && s == 42);
}
