// A thread may go on after sched_yield before any other does.
// OUTCOMES: a=0; a=1
// COUNTS: 4 executions, 3 runs, 2 failure points
#include "../threads.h"

static int a;

THREAD(first) {
  sched_yield();
  Y = 1;
}

THREAD(second) {
  a = (int)Y;
}

static void after(union pm_line *line) {
  tidemark_outcome("a=%d", a);
}

RUN_TEST(2, first, second)
