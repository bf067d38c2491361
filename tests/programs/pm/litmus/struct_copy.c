// A structure is copied word by word, and read like any other memory.
// OUTCOMES: 0 0 0; 1 0 0; 1 2 0; 1 2 3
// COUNTS: 5 executions, 5 runs, 1 failure points
#include "../pm.h"

struct record {
  uint64_t a, b, c;
};

static void before(union pm_line *line) {
  struct record r = {1, 2, 3};
  *(struct record *)line = r;
}

static void after(union pm_line *line) {
  struct record r = *(struct record *)line;
  tidemark_outcome("%d %d %d", (int)r.a, (int)r.b, (int)r.c);
}

PM_TEST(1)
