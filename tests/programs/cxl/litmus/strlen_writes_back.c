// OPTIONS:
// OUTCOMES: 0 0 0; 1 0 1; 2 0 2; 2 1 2
// COUNTS: 6 executions, 6 runs, 2 failure points
// OPTIONS: --gpf
// OUTCOMES: 0 0 0; 1 0 1; 2 0 2; 2 1 2
// COUNTS: 4 executions, 4 runs, 3 failure points
// The length as machine 1 sees it, and as it is afterwards.
#include "../cxl.h"

int main(void) {
  volatile char *text = (volatile char *)cxl_word(0);
  if (tidemark_machine() == 0) {
    text[0] = 'a';
    text[1] = 'b';
    yield_rounds(1);
    commit();
    return 0;
  }
  unsigned long first = strlen((const char *)text);
  yield_rounds(1);
  unsigned long z = Z;
  SHOW("%lu %lu %lu", first, z, strlen((const char *)text));
}
