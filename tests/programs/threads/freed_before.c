// What main has freed before there were threads is used by one of them, or by main itself; blocks that are freed and allocated
// again are in order.
// RUN: %tidemark_cc -g -O0 %s -o %t
// RUN: %tidemark check --model=sc %t thread > %t.out 2>&1; test $? = 1
// RUN: %FileCheck --check-prefix=THREAD %s < %t.out
// THREAD: error[use-after-free]: use after free: this store is 4 bytes into a heap block that thread 0 has freed
// THREAD: in use, thread 1
// THREAD: note: the block was freed here
// THREAD: 1 finding; the search is complete
// RUN: %tidemark check --model=tso %t thread > %t.out 2>&1; test $? = 1
// RUN: %FileCheck --check-prefix=TSO %s < %t.out
// TSO: error[use-after-free]: use after free: this store leaves the store buffer when thread 0 has freed the heap block
// RUN: %tidemark check --model=sc %t main > %t.out 2>&1; test $? = 1
// RUN: %FileCheck --check-prefix=MAIN %s < %t.out
// MAIN: error[use-after-free]: use after free: this store is 4 bytes into a heap block that thread 0 has freed
// MAIN: in use, thread 0
// RUN: %tidemark check --model=sc %t again > %t.out 2>&1; test $? = 0
// RUN: %tidemark check --model=sc --reuse %t again > %t.out 2>&1; test $? = 0
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *use(void *block) {
  ((int *)block)[1] = 1;
  return 0;
}

int main(int argc, char **argv) {
  char how = argc > 1 ? *argv[1] : 'a';
  int *block = malloc(32), *later;
  use(block);
  free(block);
  for (int i = 0; i < 1000; i++) {
    later = malloc(32);
    use(later);
    if (how == 'a')
      free(later);
    else
      break;
  }
  later = malloc(32);
  if (how == 'm')
    use(block);
  pthread_t thread;
  pthread_create(&thread, 0, use, how == 't' ? block : later);
  pthread_join(thread, 0);
  free(later);
  return 0;
}
