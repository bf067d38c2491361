// A failure in each of two executions with threads: x is flushed before y is stored, in the first
// and again in the second.
// OUTCOMES: 00; 10; 11; 20; 21; 22
// OPTIONS: --failures=2
// COUNTS: 31 executions, 13 runs, 3 failure points
#include "../threads.h"

static int execution;

THREAD(first) {
  X = (uint64_t)execution;
}

THREAD(second) {
  if (X == (uint64_t)execution) {
    clflush(&X);
    Y = (uint64_t)execution;
  }
}

int main(void) {
  union pm_line *line = pm_lines(2);
  int failures = tidemark_failures();
  execution = failures + 1;
  if (failures < 2) {
    TOGETHER(line, first, second);
    return 0;
  }
  tidemark_assert(Y != 2 || X == 2);
  tidemark_outcome("%d%d", (int)X, (int)Y);
  return 0;
}
