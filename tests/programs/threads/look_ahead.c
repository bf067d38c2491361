// Many more schedules than anybody can wait for.  What goes wrong needs one that begins in another way than the first: it is
// found because some are sampled on the way.  And a search that was stopped has not explored everything, however it began.
// RUN: %tidemark_cc -g -O1 %s -o %t
// RUN: %tidemark check --model=sc --first --timeout=60 --json=%t.json %t > %t.out 2>&1; test $? = 1
// RUN: %FileCheck %s < %t.out
// CHECK: error[assertion]: assertion failed: !begun || done
// CHECK: = seen in: 1 execution
// CHECK: 1 finding; the search is incomplete: stopped at the first finding (--first)
// RUN: %tidemark replay %t.json > %t.out 2>&1; test $? = 1
// RUN: %FileCheck --check-prefix=AGAIN %s < %t.out
// AGAIN: error[assertion]: assertion failed: !begun || done
// What was sampled can be replayed, too.
// RUN: for s in 1 2 3; do %tidemark check --model=sc --schedule=pct:3 --seed=$s --runs=30000 --first --json=%t.json %t > %t.out 2>&1; test $? = 1 || exit 1; %tidemark replay %t.json > %t.out 2>&1; grep 'replay: reproduced' %t.out || exit 1; done
// RUN: for o in all bounded:1; do %tidemark check --model=sc --schedule=$o --timeout=1 %t blind > %t.out 2>&1; test $? = 5 || exit 1; %FileCheck --check-prefix=STOPPED %s < %t.out || exit 1; done
// STOPPED-NOT: every schedule was explored
// STOPPED: the search is incomplete: the timeout was reached
// STOPPED-NOT: every schedule was explored
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define WORKERS 12

static atomic_int begun, done;

static void *work(void *unused) {
  begun = 1;
  done = 1;
  return unused;
}

static void *watch(void *blind) {
  int any = begun;
  if (!blind)
    assert(!begun || done);
  return any ? NULL : blind;
}

int main(int argc, char **argv) {
  pthread_t threads[WORKERS + 1];
  for (int i = 0; i < WORKERS; i++)
    pthread_create(&threads[i], NULL, work, NULL);
  pthread_create(&threads[WORKERS], NULL, watch, argc > 1 ? argv : NULL);
  for (int i = 0; i <= WORKERS; i++)
    pthread_join(threads[i], NULL);
}
