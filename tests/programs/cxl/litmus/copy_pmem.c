// FLAGS: -lpmem
// OPTIONS:
// OUTCOMES: 0 0, 0 0, 0; 0 2, 0 2, 0; 1 0, 1 0, 0; 1 2, 1 2, 0; 1 2, 1 2, 3
// COUNTS: 11 executions, 11 runs, 5 failure points
// OPTIONS: --gpf
// OUTCOMES: 0 0, 0 0, 0; 1 0, 1 0, 0; 1 2, 1 2, 0; 1 2, 1 2, 3
// COUNTS: 38 executions, 7 runs, 37 failure points
// libpmem copies between two places in shared memory, and fills.
#include "../cxl.h"
#include <libpmem.h>

int main(void) {
  volatile uint64_t *from = cxl_word(0), *to = cxl_word(64);
  if (tidemark_machine() == 0) {
    from[0] = 1;
    from[16] = 2;
    yield_rounds(1);
    pmem_memset_persist((void *)(to + 24), 3, 8);
    return 0;
  }
  pmem_memcpy_persist((void *)to, (void *)from, 136);
  unsigned long a = to[0], b = to[16];
  pmem_memmove((void *)(to + 1), (void *)to, 136, PMEM_F_MEM_NONTEMPORAL);
  yield_rounds(1);
  SHOW("%lu %lu, %lu %lu, %lu", a, b, NUMBER(to[1]), NUMBER(to[17]), NUMBER(to[24]) & 0xff);
}
