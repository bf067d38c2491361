// A loop that comes back with the same registers and stack, but has counted its rounds in the heap, is not where it was.
// OUTCOMES: tries=0; tries=1; tries=2; tries=3
// COUNTS: 8 executions, 6 runs, 4 failure points
#include "../threads.h"
#include <stdlib.h>

static int *tries;

static _Atomic long *word(union pm_line *line) {
  return (_Atomic long *)&line[1];
}

THREAD(first) {
  tries = malloc(sizeof *tries);
  *tries = 0;
  while (!atomic_load_explicit(word(line), memory_order_acquire) && ++*tries < 3)
    ;
}

THREAD(second) {
  atomic_store_explicit(word(line), 1, memory_order_release);
}

static void after(union pm_line *line) {
  tidemark_outcome("tries=%d", *tries);
}

RUN_TEST(2, first, second)
