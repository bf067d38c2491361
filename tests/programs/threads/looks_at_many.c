// A loop that looks at many places which nobody else has touched so far, and is in another state each time, waits all the
// same: the others go on after a while, although no look of it is a step yet.  It has no end otherwise.
// RUN: %tidemark_cc %s -o %t
// RUN: for m in sc tso; do %tidemark check --model=$m --unroll=2 %t > %t.out 2>&1; test $? = 1 && %FileCheck %s < %t.out || exit 1; done
// CHECK: error[assertion]: assertion failed: workers[PLACES - 1].state == 2
#include <pthread.h>
#include <stdatomic.h>
#include <tidemark.h>

enum { PLACES = 12 };

static struct {
  _Alignas(64) _Atomic int state;
} workers[PLACES];
static long rounds;

static void *work(void *unused) {
  workers[PLACES - 1].state = 1;
  workers[PLACES - 1].state = 2;
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, work, NULL);
  for (int found = 0; !found; rounds++)
    for (int i = 0; i < PLACES; i++)
      found |= workers[i].state;
  tidemark_assert(workers[PLACES - 1].state == 2);
  pthread_join(t, NULL);
}
