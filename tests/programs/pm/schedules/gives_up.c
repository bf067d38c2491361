// A thread that tries for a while and gives up may do so before the other one has done anything.
// OUTCOMES: a=0; a=1
// COUNTS: 42 executions, 27 runs, 21 failure points
#include "../threads.h"

static atomic_int flag;
static int a;

THREAD(first) {
  for (int i = 0; i < 20 && !a; i++)
    a = atomic_load(&flag);
}

THREAD(second) {
  X = 1;
  atomic_store(&flag, 1);
}

static void after(union pm_line *line) {
  tidemark_outcome("a=%d", a);
}

RUN_TEST(1, first, second)
