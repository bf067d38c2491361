// Findings in the recovery's threads, and after a second failure: their replays go by turns before the first failure, by
// states up to the second one, and by turns again.
// OUTCOMES: 0; 1
// FINDINGS: assertion; abort
// OPTIONS: --failures=2
// COUNTS: 33 executions, 34 runs, 1 failure points
#include "../threads.h"
#include <stdlib.h>

THREAD(first) {
  X = 1;
}

THREAD(writer) {
  Y = 1;
  Z = 1;
}

THREAD(reader) {
  if (Z && X)
    abort();
}

static void after(union pm_line *line) {
  tidemark_assert(!Z);
  TOGETHER(line, writer, reader);
  tidemark_outcome("%d", (int)X);
}

CRASH_TEST(3, first)
