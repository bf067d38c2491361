// The survivor keeps what it has read, so no two executions become the same, and 2^60 of them lie before the
// failure at which the assertion can fail: the first one, which is tried last.
#include "../cxl.h"

struct shared {
  struct {
    _Alignas(64) uint64_t word;
  } line[60];
  _Alignas(64) uint64_t data;
  _Alignas(64) uint64_t valid;
};

static uint64_t read_all(const struct shared *s) {
  uint64_t all = 0;
  for (int i = 0; i < 60; i++)
    all = all * 2 + s->line[i].word;
  return all;
}

int main(void) {
  struct shared *s = tidemark_region("shared", sizeof *s);
  if (tidemark_machine() == 0) {
    s->data = 1;
    s->valid = 1;
    clflush(&s->valid); /* too early */
    clflush(&s->data);
    for (int i = 0; i < 60; i++)
      s->line[i].word = 1;
    return 0;
  }
  yield_rounds(1);
  volatile uint64_t all = read_all(s);
  tidemark_assert(!s->valid || s->data);
  return all == 7;
}
