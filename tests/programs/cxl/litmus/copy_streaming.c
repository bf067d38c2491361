// FLAGS: -lpmem
// OPTIONS:
// OUTCOMES: 0 right; 1 right
// COUNTS: 4 executions, 4 runs, 2 failure points
// A large copy onto itself, by non-temporal stores, after a decision: what it has on its way and the
// flushes that it still waits for are memory of this execution alone.
#include "../cxl.h"
#include <libpmem.h>

#define WORDS 512

int main(void) {
  volatile uint64_t *from = tidemark_region("copy", 8192);
  if (tidemark_machine() == 0) {
    X = 1;
    return 0;
  }
  yield_rounds(1);
  unsigned long x = X;
  for (uint64_t i = 0; i < WORDS; i++)
    from[i] = i + 1;
  pmem_memmove((void *)(from + 1), (void *)from, WORDS * 8, PMEM_F_MEM_NONTEMPORAL);
  int wrong = 0;
  for (uint64_t i = 0; i < WORDS; i++)
    wrong += from[i + 1] != i + 1;
  SHOW("%lu %s", x, wrong ? "wrong" : "right");
}
