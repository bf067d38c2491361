// An assumption that does not hold stops its thread, and the others go on: one of them would have made it true, and what it
// does then is another execution.  Whatever the others do wrong meanwhile is wrong, but nobody waits in vain for the thread.
// RUN: %tidemark_cc -g -O1 %s -o %t
// RUN: for m in sc tso; do %tidemark check --model=$m %t > %t.out 2>&1; test $? = 1 || exit 1; %FileCheck %s < %t.out || exit 1; done
// CHECK: error[assertion]: assertion failed: !seen
// CHECK-NOT: error[
// CHECK: 1 finding; the search is complete
// RUN: %tidemark check --model=sc --schedule=bounded:2 %t > %t.out 2>&1; test $? = 1
// RUN: %tidemark check --model=sc %t held > %t.out 2>&1; test $? = 0
// RUN: %FileCheck --check-prefix=HELD %s < %t.out
// HELD: executions 3 covered by
// HELD: 2 x taken
// HELD: no findings; the search is complete
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <tidemark.h>

static atomic_int ready, seen;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *late(void *held) {
  if (held)
    pthread_mutex_lock(&mutex);
  tidemark_assume(ready);
  seen = 1;
  if (held)
    pthread_mutex_unlock(&mutex);
  return 0;
}

static void *early(void *held) {
  ready = 1;
  if (!held)
    assert(!seen);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return 0;
}

int main(int argc, char **argv) {
  pthread_t a, b;
  void *held = argc > 1 ? argv[1] : 0;
  pthread_create(&a, 0, late, held);
  pthread_create(&b, 0, early, held);
  pthread_join(a, 0);
  pthread_join(b, 0);
  tidemark_outcome("taken");
  return 0;
}
