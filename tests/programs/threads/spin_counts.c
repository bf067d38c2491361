// A lock whose waiters count, in memory, how often they have looked: such a loop is not seen to wait.  Who looks again and
// again while the owner could go on is no hang of the program, only a schedule that nobody has.
// RUN: %tidemark_cc -g -O1 %s -o %t
// RUN: for s in 1 2 3; do %tidemark check --model=sc --schedule=pct:3 --seed=$s --runs=200 %t > %t.out 2>&1 || exit 1; grep 'no findings' %t.out || exit 1; done
// RUN: %tidemark check --model=sc --schedule=bounded:1 %t > %t.out 2>&1
// RUN: %FileCheck %s < %t.out
// CHECK: no findings; the search is complete
// CHECK: note: schedules with at most 1 preemption were explored
// CHECK: note: a thread that went on for 100000 steps while others could had to wait for them: that was not counted as a preemption
// There are as many schedules as rounds that one can wait.
// RUN: %tidemark check --model=sc --max-executions=1000 %t > %t.out 2>&1; test $? = 5
// RUN: %FileCheck --check-prefix=ALL %s < %t.out
// ALL: note: executions have between {{[0-9]+}} and {{[0-9]+}} steps: if they grow without end
// Nor is it one to look under a lock, when others can go on only now and then, with store buffers.
// RUN: for s in 1 2 3; do %tidemark check --model=tso --schedule=pct:2 --seed=$s --runs=30 %t poll now > %t.out 2>&1 || exit 1; grep 'no findings' %t.out || exit 1; done
// If the owner never lets go it is one, but who counts may come to an end: only --max-steps says so.
// RUN: %tidemark check --model=sc --schedule=pct:3 --runs=2 %t forget > %t.out 2>&1; test $? = 5
// RUN: %FileCheck --check-prefix=FORGET %s < %t.out
// FORGET: the search is incomplete: an execution was cut off at {{.*}}spin_counts.c
// RUN: %tidemark check --model=sc --schedule=pct:3 --runs=2 --max-steps=1000000 %t forget > %t.out 2>&1; test $? = 1
// RUN: %FileCheck --check-prefix=HANG %s < %t.out
// HANG: error[hang]
#include <pthread.h>
#include <stdatomic.h>

static atomic_int locked, looks;
static int forget, polls, ready;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *poll(void *unused) {
  for (int done = 0; !done;) {
    pthread_mutex_lock(&mutex);
    polls++;
    done = ready;
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

static void *tell(void *unused) {
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void *work(void *unused) {
  while (atomic_exchange(&locked, 1))
    looks++;
  if (!forget)
    locked = 0;
  return unused;
}

int main(int argc, char **argv) {
  (void)argv;
  forget = argc == 2;
  pthread_t a, b;
  pthread_create(&a, NULL, argc > 2 ? poll : work, NULL);
  pthread_create(&b, NULL, argc > 2 ? tell : work, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}
