/* What the programs in this folder share.  Machines take turns in rounds: machine 0 runs until it
 * waits or yields, then machine 1, and so on. */
#ifndef CXL_H
#define CXL_H

#include "../pm/pm.h"
#include <sched.h>

/* Word `n` of shared memory; words 0 to 7 are the first line, 8 to 15 the second, ... */
static inline volatile uint64_t *cxl_word(int n) {
  return (volatile uint64_t *)tidemark_region("cxl", 4096) + n;
}

#undef X
#undef Y
#undef Z
#define X (*cxl_word(0))
#define Y (*cxl_word(1)) /* the same line as X */
#define Z (*cxl_word(8)) /* the next line */

static inline void yield_rounds(int count) {
  for (int i = 0; i < count; i++)
    sched_yield();
}

/* Z = 1, certainly: whoever reads Z == 1 knows that this machine lived until here. */
static inline void commit(void) {
  Z = 1;
  clflush(&Z);
}

/* A handler for poison. */
static int poisoned;

static inline void count_poison(void *address) {
  (void)address;
  poisoned++;
}

#define SHOW(format, ...) tidemark_outcome(format, __VA_ARGS__)
#define NUMBER(word) ((unsigned long)(word))

#endif
