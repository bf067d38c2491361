// Threads of a recovery take a lock that is a word: who comes first, with what the failure has left.
// OUTCOMES: x=0 first=1; x=0 first=2; x=1 first=1; x=1 first=2
// COUNTS: 5 executions, 7 runs, 1 failure points
#include "../threads.h"

static long order;

static void take(union pm_line *line, long who) {
  _Atomic long *lock = (_Atomic long *)&Z;
  long expected = 0;
  while (!atomic_compare_exchange_strong(lock, &expected, 1)) {
    expected = 0;
    sched_yield();
  }
  if (!order)
    order = who;
  Y = who;
  atomic_store_explicit(lock, 0, memory_order_release);
}

THREAD(first) {
  X = 1;
}

THREAD(one) {
  take(line, 1);
}

THREAD(two) {
  take(line, 2);
}

static void after(union pm_line *line) {
  order = 0;
  TOGETHER(line, one, two);
  tidemark_outcome("x=%d first=%ld", (int)X, order);
}

CRASH_TEST(3, first)
