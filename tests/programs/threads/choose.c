// Numbers that the program asks for: each is tried, before there are threads and by each of them, and a report says which.
// RUN: %tidemark_cc -g -O1 %s -o %t
// RUN: %tidemark check --model=sc --json=%t.json %t 20 3 > %t.out 2>&1; test $? = 1
// RUN: %FileCheck %s < %t.out
// CHECK: error[assertion]: assertion failed: number != 17 || chosen != 2
// CHECK: thread 0 goes on with the choice of 17 at choose.c
// CHECK: thread 1 goes on with the choice of 2 at choose.c
// CHECK: = seen in: 1 execution
// CHECK: executions 60 covered by
// CHECK: outcomes 60 different
// RUN: %tidemark replay %t.json > %t.out 2>&1; test $? = 1
// RUN: grep 'replay: reproduced' %t.out
// RUN: %tidemark check --model=tso --isolate %t 20 3 > %t.out 2>&1; test $? = 1
// RUN: %FileCheck --check-prefix=ALL %s < %t.out
// RUN: %tidemark check --model=sc --schedule=bounded:1 %t 20 3 > %t.out 2>&1; test $? = 1
// RUN: %FileCheck --check-prefix=ALL %s < %t.out
// ALL: outcomes 60 different
// There is no end to a loop that asks whether to go on, but to its first rounds.
// RUN: %tidemark check --model=sc --unroll=4 %t loop > %t.out 2>&1; test $? = 5
// RUN: %FileCheck --check-prefix=LOOP %s < %t.out
// LOOP: outcomes 4 different
// LOOP: the search is incomplete: loops were cut off (--unroll)
// Others than those do not know what to do with it.
// RUN: %tidemark check --model=pm %t 20 3 > %t.out 2>&1; test $? = 3
// RUN: %FileCheck --check-prefix=PM %s < %t.out
// PM: tidemark_choose with another model than sc and tso is not supported
// Without the checker the number is 0.
// RUN: %t 20 3
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <tidemark.h>

static unsigned number, chosen;

static void *choose(void *count) {
  chosen = tidemark_choose(*(unsigned *)count);
  return 0;
}

static int loop(void) {
  unsigned rounds = 0;
  while (tidemark_choose(2))
    rounds++;
  tidemark_outcome("%u rounds", rounds);
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 3)
    return loop();
  unsigned count = (unsigned)atoi(argv[2]);
  number = tidemark_choose((unsigned)atoi(argv[1]));
  pthread_t thread;
  pthread_create(&thread, 0, choose, &count);
  pthread_join(thread, 0);
  tidemark_outcome("%u %u", number, chosen);
  assert(number != 17 || chosen != 2);
  return 0;
}
