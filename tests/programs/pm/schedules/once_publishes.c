// What a once routine stores is seen by all who come after it, and what it flushed with clflush is
// persistent then.
// EAGER: 32
// OUTCOMES: 00; 10; 11
// COUNTS: 16 executions, 7 runs, 8 failure points
#include "../threads.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static union pm_line *lines;

static void initialise(void) {
  union pm_line *line = lines;
  X = 1;
  clflush(&X);
}

THREAD(first) {
  lines = line;
  pthread_once(&once, initialise);
  tidemark_assert(X == 1);
}

THREAD(second) {
  lines = line;
  pthread_once(&once, initialise);
  tidemark_assert(X == 1);
  Y = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("%d%d", (int)X, (int)Y);
}

CRASH_TEST(2, first, second)
