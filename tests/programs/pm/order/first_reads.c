// --schedule=all.  What follows the first failures has 2^60 executions that stay different, and those in which the
// first loads read something old come last.
#include "../pm.h"

struct root {
  struct {
    _Alignas(64) uint64_t word;
  } line[60];
  _Alignas(64) uint64_t data;
  _Alignas(64) uint64_t valid;
};

static uint64_t read_all(const struct root *r) {
  uint64_t all = 0;
  for (int i = 0; i < 60; i++)
    all = all * 2 + r->line[i].word;
  return all;
}

int main(void) {
  struct root *r = tidemark_region("root", sizeof *r);
  if (tidemark_failures()) {
    int lost = r->valid && !r->data;
    volatile uint64_t all = read_all(r);
    tidemark_assert(!lost);
    return all == 7;
  }
  r->data = 1; /* never flushed */
  r->valid = 1;
  clflush(&r->valid);
  for (int i = 0; i < 60; i++)
    r->line[i].word = 1;
  return 0;
}
