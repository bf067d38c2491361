// strlen reads persistent memory like any other load.
// OUTCOMES: 0; 1; 2; 3
// COUNTS: 5 executions, 5 runs, 1 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  char *text = (char *)line;
  text[0] = 'a';
  text[1] = 'b';
  text[2] = 'c';
}

static void after(union pm_line *line) {
  tidemark_outcome("%d", (int)strlen((char *)line));
}

PM_TEST(1)
