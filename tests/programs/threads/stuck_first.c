/* A schedule in which a thread waits for ever, with a lock that another one waits for: that one could have had it
 * before, although it never does anything in this schedule.
 *
 * RUN: %tidemark_cc %s -o %t -pthread && (%tidemark check --schedule=all %t > %t.txt 2>&1; test $? = 1)
 * RUN: %FileCheck %s < %t.txt
 * RUN: (%tidemark check --model=sc %t > %t.txt 2>&1; test $? = 1) && %FileCheck %s < %t.txt
 * RUN: (%tidemark check --model=tso %t > %t.txt 2>&1; test $? = 1) && %FileCheck %s < %t.txt
 *
 * CHECK: error[hang]
 * CHECK: x ended
 */
#include <pthread.h>
#include <stdatomic.h>
#include <tidemark.h>

static struct shared { _Atomic long ready; } *shared;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *unused) {
  pthread_mutex_lock(&mutex);
  while (!atomic_load(&shared->ready))
    continue;
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void *second(void *unused) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  atomic_store(&shared->ready, 1);
  return unused;
}

int main(void) {
  shared = tidemark_region("shared", sizeof *shared);
  if (tidemark_failures())
    return 0;
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  tidemark_outcome("ended");
  return 0;
}
