// A lock made of exchanges: a locked instruction that changes nothing waits like a load.
// OUTCOMES: x=2 a=1; x=2 a=2
// COUNTS: 6 executions, 5 runs, 4 failure points
#include "../threads.h"

static atomic_int locked;
static int a;

static void enter(void) {
  while (atomic_exchange(&locked, 1))
    ;
}

static void leave(void) {
  atomic_store_explicit(&locked, 0, memory_order_release);
}

THREAD(first) {
  enter();
  X = X + 1;
  leave();
}

THREAD(second) {
  enter();
  X = X + 1;
  a = (int)X;
  leave();
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d a=%d", (int)X, a);
}

RUN_TEST(1, first, second)
