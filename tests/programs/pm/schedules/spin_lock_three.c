// Three threads take one lock by compare-and-swap, and make at most one attempt in vain each (compilers copy the first one).
// OUTCOMES: order=12; order=13; order=21; order=23; order=31; order=32
// COUNTS: 111 executions, 79 runs, 75 failure points
#include "../threads.h"

static _Atomic long *word(union pm_line *line) {
  return (_Atomic long *)&line[1];
}

static long order;

static void enter(union pm_line *line, long who) {
  for (;; sched_yield()) {
    long expected = 0;
    if (atomic_compare_exchange_strong(word(line), &expected, 1))
      break;
  }
  if (order < 10)
    order = order * 10 + who;
  atomic_store_explicit(word(line), 0, memory_order_release);
}

THREAD(first) {
  enter(line, 1);
}

THREAD(second) {
  enter(line, 2);
}

THREAD(third) {
  enter(line, 3);
}

static void after(union pm_line *line) {
  tidemark_outcome("order=%ld", order);
}

RUN_TEST(2, first, second, third)
