// Schedules after the failure: the recovery's threads see what survived, and each other.
// OUTCOMES: x=0 00; x=0 10; x=0 11; x=1 00; x=1 10; x=1 11
// COUNTS: 7 executions, 7 runs, 1 failure points
#include "../threads.h"

THREAD(first) {
  X = 1;
}

static int a, b;

THREAD(writer) {
  Y = 1;
  Z = 1;
}

THREAD(reader) {
  a = (int)Z;
  b = (int)Y;
}

static void after(union pm_line *line) {
  TOGETHER(line, writer, reader);
  tidemark_outcome("x=%d %d%d", (int)X, b, a);
}

CRASH_TEST(3, first)
