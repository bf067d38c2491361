// A thread may have 8 GiB, of which little is touched. What it asks for beyond its heap is refused, as on a machine that
// has no more, and the report says so; not of sizes that nobody has.
// RUN: %tidemark_cc -g %s -o %t
// RUN: %tidemark check --model=sc %t 8 > %t.out 2>&1; test $? = 0
// RUN: %tidemark check --model=sc %t 40 > %t.out 2>&1; test $? = 1
// RUN: %FileCheck %s < %t.out
// CHECK: the program ended with exit status 9
// CHECK: note: an allocation of 42949672960 bytes failed: in a check the heap of a thread has 16 GiB
// RUN: %tidemark check --model=sc %t 40000 > %t.out 2>&1; test $? = 1
// RUN: %FileCheck --implicit-check-not="allocation of" --check-prefix=ABSURD %s < %t.out
// ABSURD: the program ended with exit status 9
#include <pthread.h>
#include <stdlib.h>

static char *block;

static void *use(void *at) {
  block[(size_t)at] = 1;
  return 0;
}

int main(int argc, char **argv) {
  size_t bytes = (size_t)atol(argv[argc - 1]) << 30;
  block = malloc(bytes);
  if (!block)
    return 9;
  pthread_t thread;
  pthread_create(&thread, 0, use, (void *)(bytes - 1));
  use((void *)(bytes / 2));
  pthread_join(thread, 0);
  return block[bytes - 1] != 1;
}
