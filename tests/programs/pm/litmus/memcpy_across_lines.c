// memcpy across lines: in order within each, in any order between them.
// OUTCOMES: 0 0 0; 1 0 0; 0 2 0; 1 2 0; 0 2 3; 1 2 3
// COUNTS: 7 executions, 7 runs, 1 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  uint64_t words[] = {1, 2, 3};
  memcpy(&line[0].word[7], words, sizeof words);
}

static void after(union pm_line *line) {
  tidemark_outcome("%d %d %d", (int)line[0].word[7], (int)line[1].word[0], (int)line[1].word[1]);
}

PM_TEST(2)
