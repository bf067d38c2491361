// A queue of one thread for another one, which keeps what it has seen of the other's index.  While it waits it stores there
// what is there already; main looks at that at the end, so that others can see the stores.  They change nothing, and a loop
// in which nothing changes waits.  With one item less than it takes, it waits for ever.
// RUN: %tidemark_cc -g -O1 %s -o %t
// RUN: %tidemark check --model=sc --timeout=60 %t > %t.out 2>&1; test $? = 0
// RUN: %FileCheck %s < %t.out
// CHECK: executions 2 covered by
// CHECK: no findings; the search is complete
// RUN: %tidemark check --model=sc --timeout=60 %t less > %t.out 2>&1; test $? = 1
// RUN: %FileCheck --check-prefix=LESS %s < %t.out
// LESS: error[hang]: the program hangs: a loop that nobody can end any more
// LESS: 1 finding; the search is complete
// Two threads that store the same again and again, each where the other one looks, wait, too.
// RUN: %tidemark check --model=sc --timeout=60 %t less each other > %t.out 2>&1; test $? = 1
// RUN: %FileCheck --check-prefix=EACH %s < %t.out
// EACH: error[hang]: the program hangs: a loop that nobody can end any more
// EACH: the search is complete
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int written, left, right;
static int kept, items[2], count = 2;

static void *takes(void *argument) {
  for (int taken = 0; taken < 2; taken++) {
    while (kept == taken)
      kept = atomic_load_explicit(&written, memory_order_acquire);
    assert(items[taken] == taken + 7);
  }
  return argument;
}

static void *gives(void *argument) {
  for (int i = 0; i < count; i++) {
    items[i] = i + 7;
    atomic_store_explicit(&written, i + 1, memory_order_release);
  }
  return argument;
}

static void *goes_left(void *argument) {
  do
    left = 0;
  while (!right);
  return argument;
}

static void *goes_right(void *argument) {
  do
    right = 0;
  while (!left);
  return argument;
}

int main(int argc, char **argv) {
  pthread_t a, b;
  (void)argv;
  count -= argc > 1;
  pthread_create(&a, NULL, argc > 2 ? goes_left : takes, NULL);
  pthread_create(&b, NULL, argc > 2 ? goes_right : gives, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(argc > 1 || kept == 2);
}
