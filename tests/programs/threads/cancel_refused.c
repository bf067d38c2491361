// pthread_cancel of a thread that waits for what cannot be interrupted is refused by name.
// RUN: %tidemark_cc %s -o %t && %t
// RUN: %tidemark check %t > %t.out 2>&1; test $? = 3 && %FileCheck %s < %t.out
// CHECK: pthread_cancel of a thread that waits for a signal is not supported
#include <pthread.h>
#include <unistd.h>

static void *wait_forever(void *unused) {
  for (;;)
    pause();
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, wait_forever, NULL);
  pthread_cancel(t);
  pthread_join(t, NULL);
  return 0;
}
