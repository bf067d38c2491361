// Fig. 4 of the Jaaru paper: data behind a commit pointer is read only where it is persistent.
// OUTCOMES: no child; child data
// COUNTS: 4 executions, 3 runs, 2 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  line[1].word[0] = 7;
  line[1].word[1] = 8;
  clflush(&line[1]);
  *(union pm_line **)&X = &line[1];
  clflush(&X);
}

static void after(union pm_line *line) {
  union pm_line *child = *(union pm_line **)&X;
  if (!child)
    tidemark_outcome("no child");
  else
    tidemark_outcome("child %s", child->word[0] == 7 && child->word[1] == 8 ? "data" : "garbage");
}

PM_TEST(2)
