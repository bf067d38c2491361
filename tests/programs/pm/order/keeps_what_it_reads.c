// The recovery keeps what it has read, so no two executions become the same, and 2^60 of them lie before the
// failure at which the assertion can fail.
#include "../pm.h"

struct root {
  struct {
    _Alignas(64) uint64_t word;
  } line[60];
  _Alignas(64) uint64_t start;
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
    volatile uint64_t all = read_all(r);
    tidemark_assert(!r->valid || r->data);
    return all == 7;
  }
  for (int i = 0; i < 60; i++)
    r->line[i].word = 1;
  r->start = 1;
  clflush(&r->start);
  r->data = 1; /* never flushed */
  r->valid = 1;
  clflush(&r->valid);
  return 0;
}
