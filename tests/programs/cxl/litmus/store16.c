// FLAGS: -mcx16
// OPTIONS:
// OUTCOMES: 0 0, 0 0; 1 2, 1 2; 3 4, 3 4
// COUNTS: 4 executions, 4 runs, 1 failure points
// OPTIONS: --gpf
// OUTCOMES: 0 0, 0 0; 1 2, 1 2; 3 4, 3 4
// COUNTS: 3 executions, 3 runs, 2 failure points
// OPTIONS: --poison
// OUTCOMES: 0 0, 0 0; 0 0, 0 0 poisoned; 1 2, 1 2; 1 2, 1 2 poisoned; 3 4, 3 4
// COUNTS: 7 executions, 7 runs, 3 failure points
// OPTIONS: --coherence=cxlmc
// OUTCOMES: 0 0, 0 0; 1 2, 1 2; 3 4, 3 4
// COUNTS: 4 executions, 4 runs, 1 failure points
// OPTIONS: --coherence=cxlmc --poison
// OUTCOMES: 0 0, 0 0; 0 0, 0 0 poisoned; 1 2, 1 2; 1 2, 1 2 poisoned; 3 4, 3 4
// COUNTS: 10 executions, 10 runs, 4 failure points
// OPTIONS: --coherence=cxlmc --gpf
// OUTCOMES: 0 0, 0 0; 1 2, 1 2; 3 4, 3 4
// COUNTS: 3 executions, 3 runs, 2 failure points
// A 16-byte atomic store happens whole or not at all: its machine does not fail in the middle, and a
// compare-and-swap of a survivor finds both halves or none.
#include "../cxl.h"

typedef unsigned __int128 u128;

static u128 pair(unsigned long low, unsigned long high) {
  return (u128)high << 64 | low;
}

int main(void) {
  u128 *p = (u128 *)cxl_word(2);
  tidemark_on_poison(count_poison);
  if (tidemark_machine() == 0) {
    __sync_val_compare_and_swap(p, pair(0, 0), pair(1, 2));
    __sync_val_compare_and_swap(p, pair(1, 2), pair(3, 4));
    return 0;
  }
  unsigned long low = *cxl_word(2), high = *cxl_word(3);
  u128 old = __sync_val_compare_and_swap(p, pair(1, 2), pair(5, 6));
  SHOW("%lu %lu, %lu %lu%s", low, high, (unsigned long)old, (unsigned long)(old >> 64), poisoned ? " poisoned" : "");
}
