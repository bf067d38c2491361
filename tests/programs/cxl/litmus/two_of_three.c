// OPTIONS: --machines=3
// OUTCOMES: 0 0 1 1; 0 1 1 0; 0 1 1 1; 1 0 0 1; 1 0 1 1; 1 1 0 0; 1 1 0 1; 1 1 1 0; 1 1 1 1
// OPTIONS: --machines=3 --failures=1
// OUTCOMES: 0 1 1 0; 1 0 0 1; 1 1 0 0; 1 1 0 1; 1 1 1 0
// OPTIONS: --machines=3 --failures=0
// OUTCOMES: 1 1 0 0
// Any two of three machines fail.
#include "../cxl.h"

int main(void) {
  int self = tidemark_machine();
  if (self < 2) {
    *cxl_word(8 * self) = 1;
    return 0;
  }
  unsigned long x = X, z = Z;
  int first = tidemark_machine_failed(0);
  SHOW("%lu %lu %d %d", x, z, first, tidemark_machine_failed(1));
}
