// OPTIONS:
// MACHINES: copy_between.c 16 0; copy_between.c 16 0
// OUTCOMES: 0 0, 0 0; 1 0, 1 0; 1 2, 1 2
// COUNTS: 4 executions, 4 runs, 1 failure points
// OPTIONS:
// MACHINES: copy_between.c 128 0; copy_between.c 128 0
// OUTCOMES: 0 0, 0 0; 0 2, 0 2; 1 0, 1 0; 1 2, 1 2
// COUNTS: 7 executions, 7 runs, 2 failure points
// OPTIONS:
// MACHINES: copy_between.c 1000 0; copy_between.c 1000 0
// OUTCOMES: 0 0, 0 0; 0 2, 0 2; 1 0, 1 0; 1 2, 1 2
// COUNTS: 7 executions, 7 runs, 2 failure points
// OPTIONS:
// MACHINES: copy_between.c 4096 0; copy_between.c 4096 0
// OUTCOMES: 0 0, 0 0; 0 2, 0 2; 1 0, 1 0; 1 2, 1 2
// COUNTS: 7 executions, 7 runs, 2 failure points
// OPTIONS:
// MACHINES: copy_between.c 4096 8; copy_between.c 4096 8
// OUTCOMES: 0 0, 0 0; 0 2, 0 2; 1 0, 1 0; 1 2, 1 2
// COUNTS: 7 executions, 7 runs, 2 failure points
// A copy from shared memory to shared memory reads what is in doubt: each answer is a copy of its own,
// whatever the size, and also if the two places overlap (the second argument: how far the copy goes).
#include "../cxl.h"
#include <stdlib.h>

int main(int count, char **words) {
  size_t bytes = strtoul(words[count - 2], NULL, 10), ahead = strtoul(words[count - 1], NULL, 10);
  volatile uint64_t *from = tidemark_region("copy", 65536), *to = from + (ahead ? ahead : 4096) / 8;
  size_t last = bytes / 8 - 1;
  if (tidemark_machine() == 0) {
    from[0] = 1;
    from[last] = 2;
    return 0;
  }
  yield_rounds(1);
  if (bytes > 1024)
    from[127] = 3;
  memmove((void *)to, (void *)from, bytes);
  unsigned long a = to[0], b = to[last];
  tidemark_assert(bytes <= 1024 || (to[127] == 3 && to[128] == 0));
  memmove((void *)(to + 1024), (void *)to, bytes);
  SHOW("%lu %lu, %lu %lu", a, b, NUMBER(to[1024]), NUMBER(to[1024 + last]));
}
