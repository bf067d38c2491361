// OPTIONS:
// OUTCOMES: none; 7
// COUNTS: 4 executions, 4 runs, 2 failure points
// tidemark_alloc: memory of one machine, reached by another through a pointer in shared memory.
#include "../cxl.h"

int main(void) {
  volatile uint64_t *own = tidemark_alloc(sizeof *own);
  if (tidemark_machine() == 0) {
    *own = 7;
    clflush(own);
    X = (uint64_t)own;
    return 0;
  }
  *own = 9;
  volatile uint64_t *theirs = (volatile uint64_t *)X;
  tidemark_assert(theirs != own);
  if (theirs)
    SHOW("%lu", NUMBER(*theirs));
  else
    SHOW("%s", "none");
}
