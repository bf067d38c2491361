// A lease that is taken over from a leader who has been slow, not dead: both write.  No machine fails, and in
// turns the leader is never slow enough.
// OPTIONS: --failures=0
// OUTCOMES: nothing
// COUNTS: 1 executions, 1 runs, 0 failure points
// OPTIONS: --failures=0 --schedule=all
// OUTCOMES: nothing
// FINDINGS: assertion
// COUNTS: 24 executions, 24 runs, 0 failure points
// OPTIONS: --failures=0 --schedule=bounded:2
// OUTCOMES: nothing
// FINDINGS: assertion
// COUNTS: 43 executions, 43 runs, 0 failure points
// OPTIONS: --failures=0 --schedule=pct:3 --runs=300
// OUTCOMES: nothing
// FINDINGS: assertion
// COUNTS: 300 executions, 300 runs, 0 failure points
#include "../cxl.h"

#define OWNER (*(uint64_t *)cxl_word(0))
#define WRITERS (*(uint64_t *)cxl_word(16))

/* Only whoever holds the lease comes here. */
static void write_record(void) {
  tidemark_assert(__atomic_fetch_add(&WRITERS, 1, __ATOMIC_SEQ_CST) == 0);
  __atomic_fetch_sub(&WRITERS, 1, __ATOMIC_SEQ_CST);
}

static void lead(void) {
  (*cxl_word(8))++; /* a sign of life */
  if (__atomic_load_n(&OWNER, __ATOMIC_ACQUIRE) == 0)
    write_record();
}

static void watch(void) {
  uint64_t before = *cxl_word(8);
  if (before && *cxl_word(8) == before) { /* no sign since then */
    __atomic_store_n(&OWNER, 1, __ATOMIC_SEQ_CST);
    write_record();
  }
}

int main(void) {
  if (tidemark_machine() == 0)
    lead();
  else
    watch();
}
