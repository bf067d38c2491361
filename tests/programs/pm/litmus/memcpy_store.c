// memcpy is a sequence of stores.
// OUTCOMES: 0 0 0; 1 0 0; 1 2 0; 1 2 3
// COUNTS: 5 executions, 5 runs, 1 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  uint64_t words[] = {1, 2, 3};
  memcpy(line, words, sizeof words);
}

static void after(union pm_line *line) {
  tidemark_outcome("%d %d %d", (int)X, (int)X2, (int)line[0].word[2]);
}

PM_TEST(1)
