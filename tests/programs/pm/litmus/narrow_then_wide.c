// Later loads of a line agree with what earlier ones saw.
// OUTCOMES: 0 0; 0 1; 2 200000001
// COUNTS: 4 executions, 4 runs, 1 failure points
#include "../pm.h"

static void before(union pm_line *line) {
  line[0].half[0] = 1;
  line[0].half[1] = 2;
}

static void after(union pm_line *line) {
  unsigned second = line[0].half[1];
  tidemark_outcome("%x %llx", second, (unsigned long long)X);
}

PM_TEST(1)
