// OPTIONS: --allow-empty
// OUTCOMES: 11 21 text-1
// COUNTS: 1 executions, 1 runs, 0 failure points
// OPTIONS: --machines=4 --failures=1 --allow-empty
// OUTCOMES: 11 21 text-1
// COUNTS: 1 executions, 1 runs, 0 failure points
// Every machine has its own variables and its own heap.
#include "../cxl.h"
#include <stdio.h>
#include <stdlib.h>

static int counter = 10;
static char *text;

int main(void) {
  int *allocated = malloc(sizeof *allocated);
  static int local = 20;
  *allocated = tidemark_machine();
  text = malloc(16);
  snprintf(text, 16, "text-%d", tidemark_machine());
  counter++;
  local++;
  yield_rounds(3);
  tidemark_assert(*allocated == tidemark_machine());
  if (tidemark_machine() == 1)
    SHOW("%d %d %s", counter, local, text);
  free(allocated);
  free(text);
}
