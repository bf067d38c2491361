// A clean report says which schedules it is about.
// RUN: %tidemark_cc %s -o %t -pthread
// RUN: %tidemark check %t 2>&1 | %FileCheck --check-prefix=FIXED %s
// RUN: %tidemark check --schedule=random --runs=7 %t 2>&1 | %FileCheck --check-prefix=SAMPLED %s
// RUN: %tidemark check --schedule=bounded:1 %t 2>&1 | %FileCheck --check-prefix=BOUNDED %s
// RUN: %tidemark check --schedule=all %t 2>&1 | %FileCheck --check-prefix=ALL %s
#include <pthread.h>
#include <stddef.h>
#include <tidemark.h>

static void *store(void *p) {
  *(volatile long *)p = 1;
  return NULL;
}

int main(void) {
  long *p = tidemark_region("p", 128);
  pthread_t t;
  pthread_create(&t, NULL, store, p);
  store(p + 8);
  pthread_join(t, NULL);
  return 0;
}

// FIXED: note: its 2 threads ran in one schedule
// SAMPLED: note: {{[1-7]}} schedules were sampled; nothing is known about others
// BOUNDED: note: schedules with at most 1 preemption were explored
// ALL: no findings; the search is complete
// ALL-NOT: note
