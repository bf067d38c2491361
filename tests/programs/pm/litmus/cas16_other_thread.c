// A cmpxchg16b of another thread comes between a clwb and its fence.  It is one store to the line, not two:
// the fence completes what was stored before the clwb.
// FLAGS: -mcx16
// OUTCOMES: 0 0; 1 0; 1 1
// COUNTS: 5 executions, 4 runs, 2 failure points
#include "../pm.h"
#include <pthread.h>
#include <sched.h>

typedef unsigned __int128 u128;
static volatile int asked, swapped;

static void *other(void *argument) {
  union pm_line *line = argument;
  while (!asked)
    sched_yield();
  __sync_bool_compare_and_swap((u128 *)&line[0].word[2], (u128)0, (u128)6 << 64 | 5);
  swapped = 1;
  return NULL;
}

static void before(union pm_line *line) {
  pthread_t thread;
  pthread_create(&thread, NULL, other, line);
  X = 1;
  clwb(&X);
  asked = 1;
  while (!swapped)
    sched_yield();
  _mm_sfence();
  Y = 1;
  clflush(&Y);
  pthread_join(thread, NULL);
}

static void after(union pm_line *line) {
  tidemark_outcome("%d %d", (int)X, (int)Y);
}

PM_TEST(2)
