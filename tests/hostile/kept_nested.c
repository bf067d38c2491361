// EXPECT: none 0
// OPTIONS: --failures=3
// Each execution sets its pointer anew and uses only that, also after several failures.
#include <immintrin.h>
#include <stdlib.h>
#include <tidemark.h>
int main(void) {
  long **pm = tidemark_region("root", 64);
  long *mine = malloc(sizeof *mine);
  *mine = 7;
  if (*pm == mine) /* only compared; a new process has no block of before */
    return 1;
  *pm = mine;
  _mm_clflush(pm);
  return **pm != 7;
}
