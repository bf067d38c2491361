/* An execution that was cut off leaves something open, also where every schedule is explored.
 * RUN: %tidemark_cc -g %s -o %t
 * RUN: %tidemark check --model=sc --max-steps=5 %t > %t.log 2>&1; test $? = 1
 * RUN: %FileCheck %s < %t.log
 * CHECK: error[hang]
 * CHECK: the search is incomplete: an execution was cut off
 */
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int counter;

static void *count(void *unused) {
  for (int i = 0; i < 10; i++)
    counter++;
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, count, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
}
