// A load wider than the buffered store: its bytes from the buffer, the others from the cache.
// OUTCOMES: 0011; 2211
// COUNTS: 8 executions, 5 runs, 4 failure points
#include "../threads.h"

static uint64_t a;

THREAD(first) {
  line[0].half[0] = 0x11;
  a = X;
}

THREAD(second) {
  line[0].half[1] = 0x22;
}

static void after(union pm_line *line) {
  tidemark_outcome("%02x%02x", (int)(a >> 32), (int)a & 0xff);
}

RUN_TEST(1, first, second)
