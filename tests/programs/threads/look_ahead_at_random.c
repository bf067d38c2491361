// Of 24 counters 9 have to miss something: threads must be left often, and it hardly matters where.  Schedules with a few
// changes of priorities do not do that, and depth first the search comes to it late; some of the samples are random.
// RUN: %tidemark_cc -g -O1 %s -o %t
// RUN: %tidemark check --model=sc --no-data-races --first --max-executions=10000 %t > %t.out 2>&1; test $? = 1
// RUN: %FileCheck %s < %t.out
// CHECK: error[assertion]: assertion failed: lost < 9
// CHECK: 1 finding; the search is incomplete: stopped at the first finding (--first)
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define COUNTERS 24
#define THREADS 3

static atomic_int counters[COUNTERS];

static void *counts(void *argument) {
  for (int i = 0; i < COUNTERS; i++) {
    int seen = counters[i];
    counters[i] = seen + 1;
  }
  return argument;
}

int main(void) {
  pthread_t threads[THREADS];
  int lost = 0;
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, counts, NULL);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  for (int i = 0; i < COUNTERS; i++)
    lost += counters[i] < THREADS;
  assert(lost < 9);
}
