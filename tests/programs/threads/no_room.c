// Threads that are never joined keep their stacks, for which there is no room at some time.
// RUN: %tidemark_cc -g -O1 %s -o %t
// RUN: %tidemark check --model=sc --schedule=fixed %t > %t.out 2>&1; test $? = 3
// RUN: %FileCheck %s < %t.out
// CHECK: creating tens of thousands of threads is not supported in a checked program
// CHECK: at no_room.c:{{[0-9]+}}:{{[0-9]+}} in main
#include <pthread.h>
#include <sched.h>

static void *nothing(void *unused) {
  return unused;
}

int main(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, (size_t)1 << 30);
  for (;;) {
    pthread_t thread;
    if (pthread_create(&thread, &attributes, nothing, 0))
      return 1;
    sched_yield();
  }
}
