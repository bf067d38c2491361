// Functions of libc change memory, too: who looks, counts in a text, and looks again does not go round in vain.
// OUTCOMES: x=1 0; x=1 1; x=1 2; x=1 2*
// COUNTS: 8 executions, 8 runs, 4 failure points
#include "../threads.h"
#include <stdio.h>

static char text[8] = "0";
static int left;

THREAD(first) {
  while (text[0] < '2' && !X)
    snprintf(text, sizeof text, "%d", text[0] - '0' + 1);
  left = X == 0;
}

THREAD(second) {
  X = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d %s%s", (int)X, text, left ? "*" : "");
}

RUN_TEST(1, first, second)
