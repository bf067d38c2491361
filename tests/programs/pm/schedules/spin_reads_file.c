// How far a file was read is known to libc alone: the line may be the same, and the next one is read nevertheless.
// OUTCOMES: x=1 found=0; x=1 found=1; x=1 found=2; x=1 found=3
// COUNTS: 8 executions, 7 runs, 4 failure points
#include "../threads.h"
#include <stdio.h>

static char name[4];
static FILE *file;
static int found;

THREAD(first) {
  while (fgets(name, sizeof name, file))
    if (X)
      found++;
}

THREAD(second) {
  X = 1;
}

static void after(union pm_line *line) {
  tidemark_outcome("x=%d found=%d", (int)X, found);
}

int main(void) {
  static char lines[] = "a\na\na\n";
  union pm_line *line = pm_lines(1);
  file = fmemopen(lines, sizeof lines - 1, "r");
  if (!file)
    return 1;
  if (tidemark_failures() == 0) {
    TOGETHER(line, first, second);
    after(line);
  }
  return 0;
}
