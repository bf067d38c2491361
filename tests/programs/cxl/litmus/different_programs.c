// OPTIONS:
// MACHINES: different_programs.c 7; reader.c says
// OUTCOMES: says 6 0 2; says 6 7 2
// COUNTS: 3 executions, 3 runs, 1 failure points
// OPTIONS:
// MACHINES: different_programs.c 7; different_programs.c 8; reader.c then
// OUTCOMES: then 6 0 3; then 6 7 3; then 6 8 3
// COUNTS: 11 executions, 11 runs, 4 failure points
// Machines that run different programs with different arguments.
#include "../cxl.h"
#include <stdlib.h>

static int starts = 100;

int main(int argc, char **argv) {
  starts++;
  tidemark_assert(argc == 2 && starts == 101);
  X = (uint64_t)atoi(argv[1]);
}
