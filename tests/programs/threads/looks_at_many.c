// A loop that looks at many places which nobody else has touched so far, and is in another state each time, waits all the
// same: the others go on after a while, although no look of it is a step yet.  It has no end otherwise.
// RUN: %tidemark_cc %s -o %t
// RUN: for m in sc tso; do %tidemark check --model=$m --unroll=2 %t > %t.out 2>&1; test $? = 1 && %FileCheck %s < %t.out || exit 1; done
// CHECK: error[assertion]: assertion failed: workers[PLACES - 1].state == 2
//
// Who goes through a large table does not wait: the search does not begin again for each of its places.
// RUN: %tidemark_cc -DTABLE %s -o %t.table
// RUN: for m in sc tso; do %tidemark check --model=$m %t.table > %t.out 2>&1 && %FileCheck --check-prefix=TABLE %s < %t.out || exit 1; done
// TABLE: executions 2 covered by 3 program runs
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <tidemark.h>

enum { PLACES = 12, ENTRIES = 40000 };

static struct {
  _Alignas(64) _Atomic int state;
} workers[PLACES];
static long rounds;

static void *work(void *unused) {
  workers[PLACES - 1].state = 1;
  workers[PLACES - 1].state = 2;
  return unused;
}

static void *change(void *unused) {
  workers[0].state = 1;
  return unused;
}

int main(void) {
  pthread_t t;
#ifdef TABLE
  _Atomic int *table = calloc(ENTRIES, sizeof *table);
  int sum = 0;
  pthread_create(&t, NULL, change, NULL);
  for (int i = 0; i < ENTRIES; i++)
    sum += table[i];
  tidemark_assert(sum == 0 && workers[0].state < 2);
  free(table);
#else
  pthread_create(&t, NULL, work, NULL);
  for (int found = 0; !found; rounds++)
    for (int i = 0; i < PLACES; i++)
      found |= workers[i].state;
  tidemark_assert(workers[PLACES - 1].state == 2);
#endif
  pthread_join(t, NULL);
}
