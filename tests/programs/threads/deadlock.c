// Two threads that lock two mutexes in opposite order: a deadlock, described.  (Hangs natively.)
// RUN: %tidemark_cc %s -o %t
// RUN: %tidemark check %t > %t.out 2>&1; test $? = 1 && %FileCheck %s < %t.out
// CHECK: deadlock
// CHECK: thread 0 waits for the end of thread 1; thread 1 waits for mutex b, held by thread 2; thread 2 waits for mutex a, held by thread 1
// RUN: strip %t
// RUN: %tidemark check %t > %t.out 2>&1; test $? = 1 && %FileCheck --check-prefix=STRIPPED %s < %t.out
// STRIPPED: thread 1 waits for mutex at 0x{{[0-9a-f]+}}, held by thread 2; thread 2 waits for mutex at 0x{{[0-9a-f]+}}, held by thread 1
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;

static void *forward(void *unused) {
  pthread_mutex_lock(&a);
  pthread_barrier_wait(&both);
  pthread_mutex_lock(&b);
  return unused;
}

static void *backward(void *unused) {
  pthread_mutex_lock(&b);
  pthread_barrier_wait(&both);
  pthread_mutex_lock(&a);
  return unused;
}

int main(void) {
  pthread_t t[2];
  pthread_barrier_init(&both, NULL, 2);
  pthread_create(&t[0], NULL, forward, NULL);
  pthread_create(&t[1], NULL, backward, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  return 0;
}
