// OPTIONS:
// MACHINES: private_pointer.c heap; private_pointer.c heap
// OUTCOMES: 0 none; 0 1; 0 2; 1 2; 1 3; 2 3
// COUNTS: 7 executions, 7 runs, 3 failure points
// OPTIONS:
// MACHINES: private_pointer.c global; private_pointer.c global
// OUTCOMES: 0 none; 0 1; 0 2; 1 2; 1 3; 2 3
// COUNTS: 7 executions, 7 runs, 3 failure points
// OPTIONS:
// MACHINES: private_pointer.c stack; private_pointer.c stack
// OUTCOMES: 0 none; 0 1; 0 2; 1 2; 1 3; 2 3
// COUNTS: 7 executions, 7 runs, 3 failure points
// A pointer to private memory in shared memory.  Another machine cannot follow it really; here it
// can, and what it finds is what the failed machine had there at that moment, shared or not.
#include "../cxl.h"
#include <stdlib.h>

static volatile int global;

int main(int argc, char **argv) {
  volatile int local;
  if (tidemark_machine() == 0) {
    const char *where = argv[argc - 1];
    volatile int *p = *where == 'h' ? malloc(64) : *where == 'g' ? &global : &local;
    *p = 1;
    X = (uint64_t)p;
    clflush(&X);
    for (int i = 1; i < 3; i++) {
      *p = i + 1;
      Y = (uint64_t)i;
      clflush(&Y);
    }
    yield_rounds(1);
    return *p - 3;
  }
  volatile int *p = (volatile int *)X;
  unsigned long y = Y;
  if (p)
    SHOW("%lu %d", y, *p);
  else
    SHOW("%lu none", y);
}
