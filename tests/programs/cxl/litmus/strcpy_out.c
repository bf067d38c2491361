// OPTIONS:
// OUTCOMES: [] 0 []; [a] 0 [a]; [ab] 0 [ab]; [ab] 1 [ab]
// COUNTS: 6 executions, 6 runs, 2 failure points
// strcpy and strlen out of shared memory are loads by another machine.
#include "../cxl.h"

int main(void) {
  volatile char *text = (volatile char *)cxl_word(0);
  char first[8], then[8];
  if (tidemark_machine() == 0) {
    text[0] = 'a';
    text[1] = 'b';
    yield_rounds(1);
    commit();
    return 0;
  }
  strcpy(first, (const char *)text);
  yield_rounds(1);
  unsigned long z = Z;
  tidemark_assert(strlen((const char *)text) == strlen(first));
  strcpy(then, (const char *)text);
  SHOW("[%s] %lu [%s]", first, z, then);
}
