// memcpy is a load like any other, also of a length that only the run knows.
// OUTCOMES: 0 0 0; 1 0 0; 1 2 0; 1 2 3
// COUNTS: 5 executions, 5 runs, 1 failure points
#include "../pm.h"

static volatile size_t length = 24;

static void before(union pm_line *line) {
  for (int i = 0; i < 3; i++)
    line[0].word[i] = (uint64_t)i + 1;
}

static void after(union pm_line *line) {
  uint64_t words[3];
  memcpy(words, line, length);
  tidemark_outcome("%d %d %d", (int)words[0], (int)words[1], (int)words[2]);
}

PM_TEST(1)
