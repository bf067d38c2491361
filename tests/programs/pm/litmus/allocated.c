// Memory of tidemark_alloc is persistent, zero at first, and in the same place again.
// OUTCOMES: none; 0 0; 1 0; 1 2
// COUNTS: 7 executions, 5 runs, 3 failure points
#include "../pm.h"

int main(void) {
  uint64_t **root = tidemark_region("root", 64);
  if (tidemark_failures() == 0) {
    uint64_t *words = tidemark_alloc(200);
    *root = words;
    clflush(root);
    words[0] = 1;
    clflush(words);
    words[24] = 2;
  } else if (*root) {
    tidemark_outcome("%d %d", (int)(*root)[0], (int)(*root)[24]);
  } else {
    tidemark_outcome("none");
  }
  return 0;
}
