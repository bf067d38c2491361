// A thread's end waits for its flushes.
// OUTCOMES: 00; 10; 11
// COUNTS: 4 executions, 4 runs, 2 failure points
#include "../threads.h"

THREAD(first) {
  (void)line;
}

THREAD(second) {
  X = 1;
  clwb(&X);
}

static void after(union pm_line *line) {
  tidemark_outcome("%d%d", (int)X, (int)Y);
}

int main(void) {
  union pm_line *line = pm_lines(2);
  if (tidemark_failures() == 0) {
    TOGETHER(line, first, second);
    Y = 1;
  } else {
    after(line);
  }
  return 0;
}
