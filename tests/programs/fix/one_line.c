// A macro that stores and then loads: both have one place.  The report shows both, and no fence fits between them.
// RUN: %tidemark_cc -O1 -pthread %s -o %t
// RUN: %tidemark check --model=sc --analyses=store-buffers --fix=%t.diff %t > %t.out 2>&1; test $? = 1
// RUN: %FileCheck %s < %t.out && test ! -s %t.diff
// CHECK: error[store-buffer]: a store buffer can be seen: this load
// CHECK: note: this store can still be in the store buffer
// CHECK-NOT: note: when this load
// CHECK: note: which then misses this store of another thread
// CHECK: no fence for one_line.c:{{[0-9]+}}:{{[0-9]+}}: the store and the load are on one line, so there is no place between them
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int flag[2];
#define ENTER(i) \
  (atomic_store_explicit(&flag[i], 1, memory_order_release), \
   !atomic_load_explicit(&flag[!(i)], memory_order_acquire))

static void *first(void *unused) {
  return ENTER(0) ? unused : 0;
}

static void *second(void *unused) {
  return ENTER(1) ? unused : 0;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
}
