// A search that was stopped because there are too many schedules says what to try.
// RUN: %tidemark_cc -g %s -o %t
// RUN: %tidemark check --model=sc --timeout=1 %t > %t.txt 2>&1; test $? = 5
// RUN: %FileCheck %s < %t.txt
// CHECK: the search is incomplete: the timeout was reached ({{.*}} schedules are done)
// CHECK: note: what gets further: fewer threads and operations, one test case at a time
//
// Not if that is what was asked for, or if it is one schedule that has no end.
// RUN: %tidemark check --model=sc --max-executions=10 %t > %t.txt 2>&1; test $? = 5
// RUN: %FileCheck --check-prefix=ASKED --implicit-check-not='gets further' %s < %t.txt
// ASKED: the search is incomplete
// RUN: %tidemark check --model=sc --timeout=1 %t long > %t.txt 2>&1; test $? = 5
// RUN: %FileCheck --check-prefix=LONG --implicit-check-not='gets further' %s < %t.txt
// LONG: note: not even one execution has ended: {{.*}}; --schedule=fixed looks at one schedule alone
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 8
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long rounds = 4, count;

static void *work(void *unused) {
  for (long i = 0; i < rounds; i++) {
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
  }
  return unused;
}

int main(int argc, char **argv) {
  pthread_t threads[THREADS];
  (void)argv;
  if (argc > 1)
    rounds = 100000000;
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
}
