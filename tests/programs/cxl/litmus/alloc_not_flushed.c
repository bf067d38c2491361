// OPTIONS:
// OUTCOMES: none; 0; 7
// COUNTS: 6 executions, 6 runs, 2 failure points
// OPTIONS: --gpf
// OUTCOMES: none; 7
// COUNTS: 3 executions, 2 runs, 2 failure points
// The object is published before it is flushed.
#include "../cxl.h"

int main(void) {
  if (tidemark_machine() == 0) {
    volatile uint64_t *own = tidemark_alloc(sizeof *own);
    *own = 7;
    X = (uint64_t)own;
    return 0;
  }
  volatile uint64_t *theirs = (volatile uint64_t *)X;
  if (theirs)
    SHOW("%lu", NUMBER(*theirs));
  else
    SHOW("%s", "none");
}
