/* The simplest lock: who finds it taken stores what is there already, and tries again.  That is
 * waiting; and a lock that nobody gives back is a loop without an end.
 *
 * RUN: %tidemark_cc -O1 %s -o %t
 * RUN: for m in sc tso; do %tidemark check --model=$m --timeout=20 %t > %t.log 2>&1 || exit 1; %FileCheck %s < %t.log || exit 1; done
 * CHECK: executions     {{[0-9]+}} covered by
 * CHECK: no findings; the search is complete
 * RUN: %tidemark_cc -O1 -DKEEPS %s -o %t.keeps
 * RUN: for m in sc tso; do %tidemark check --model=$m --timeout=20 %t.keeps > %t.log 2>&1; test $? = 1 || exit 1; %FileCheck --check-prefix=KEEPS %s < %t.log || exit 1; done
 * KEEPS: error[hang]: the program hangs: a loop that nobody can end any more
 * KEEPS: 1 finding; the search is complete
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_flag taken;
static int counter;

static void *count(void *unused) {
  (void)unused;
  while (atomic_flag_test_and_set_explicit(&taken, memory_order_acquire))
    ;
  counter++;
#ifndef KEEPS
  atomic_flag_clear_explicit(&taken, memory_order_release);
#endif
  return NULL;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, count, NULL);
  count(NULL);
  pthread_join(t, NULL);
  assert(counter == 2);
}
