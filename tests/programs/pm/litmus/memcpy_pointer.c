// memcpy through a pointer, where no compiler can see it.
// OUTCOMES: 0 0 0; 1 0 0; 1 2 0; 1 2 3
// COUNTS: 5 executions, 5 runs, 1 failure points
#include "../pm.h"

static void *(*volatile copy)(void *, const void *, size_t) = memcpy;

static void before(union pm_line *line) {
  uint64_t words[] = {1, 2, 3};
  copy(line, words, sizeof words);
}

static void after(union pm_line *line) {
  uint64_t words[3];
  copy(words, line, sizeof words);
  tidemark_outcome("%d %d %d", (int)words[0], (int)words[1], (int)words[2]);
}

PM_TEST(1)
