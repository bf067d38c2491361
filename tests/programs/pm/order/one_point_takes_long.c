// What follows the first failures has 2^60 executions that stay different.  The assertion can fail behind a later failure
// only, and only if 12 loads read something old: whoever looks ahead does not come to it in time.
#include "../pm.h"

#define LONG 60
#define OLD 12

struct root {
  struct {
    _Alignas(64) uint64_t word;
  } line[LONG], last[OLD];
  _Alignas(64) uint64_t start;
  _Alignas(64) uint64_t valid;
};

static uint64_t read_all(const struct root *r) {
  uint64_t all = 0;
  for (int i = 0; i < LONG; i++)
    all = all * 2 + r->line[i].word;
  return all;
}

int main(void) {
  struct root *r = tidemark_region("root", sizeof *r);
  if (tidemark_failures()) {
    volatile uint64_t all = r->start ? 0 : read_all(r);
    int news = 0;
    for (int i = 0; i < OLD; i++)
      news += r->last[i].word != 0;
    tidemark_assert(!r->valid || news);
    return all == 7;
  }
  for (int i = 0; i < LONG; i++)
    r->line[i].word = 1;
  for (int i = 0; i < LONG; i++)
    clflushopt(&r->line[i]);
  _mm_sfence();
  r->start = 1;
  clflush(&r->start);
  for (int i = 0; i < OLD; i++)
    r->last[i].word = 1;
  r->valid = 1;
  clflush(&r->valid);
  return 0;
}
