// An atomic exchange is a store to C, also if it stores what was there already: it races with a plain access.  A
// compare-and-swap that fails does not.
// RUN: %tidemark_cc -g -O1 %s -o %t
// RUN: for how in exchange add swap; do %tidemark check --model=sc %t $how > %t.out 2>&1; test $? = 1 || exit 1; %FileCheck %s < %t.out || exit 1; done
// CHECK: error[data-race]: data race on x: this load of thread 2 and the atomic store of thread 1 are not ordered
// CHECK: 1 finding; the search is complete
// RUN: %tidemark check --model=sc %t fails > %t.out 2>&1; test $? = 0
#include <pthread.h>
#include <string.h>

static int x;

static void *locked(void *how) {
  int expected = strcmp(how, "fails") == 0;
  if (strcmp(how, "exchange") == 0)
    __atomic_exchange_n(&x, 0, __ATOMIC_SEQ_CST);
  else if (strcmp(how, "add") == 0)
    __atomic_fetch_add(&x, 0, __ATOMIC_RELAXED);
  else
    __atomic_compare_exchange_n(&x, &expected, expected, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return 0;
}

static void *plain(void *unused) {
  static volatile int seen;
  seen = x;
  return unused;
}

int main(int argc, char **argv) {
  pthread_t a, b;
  if (argc < 2)
    return 0;
  pthread_create(&a, 0, locked, argv[1]);
  pthread_create(&b, 0, plain, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
