/* Both threads show the mistake in one execution, and one of them in two others: that is three, not four.
 *
 * RUN: %tidemark_cc %s -o %t
 * RUN: %tidemark check --model=sc %t > %t.txt 2>&1; test $? = 1
 * RUN: %FileCheck %s < %t.txt
 *
 * CHECK: error[assertion]
 * CHECK: seen in: 3 executions
 * CHECK: executions     3 covered by
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *add(void *unused) {
  x++;
  assert(x != 2);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, add, NULL);
  pthread_create(&b, NULL, add, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
