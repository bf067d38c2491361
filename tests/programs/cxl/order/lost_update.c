// An update is lost in some schedules, without any failure; what can come of failures in the first one has no end.
#include "../cxl.h"

struct shared {
  struct {
    _Alignas(64) uint64_t word;
  } line[60];
  _Alignas(64) _Atomic uint64_t count;
  _Alignas(64) _Atomic uint64_t done;
};

int main(void) {
  struct shared *s = tidemark_region("shared", sizeof *s);
  int self = tidemark_machine();
  if (self == 0)
    for (int i = 0; i < 60; i++)
      s->line[i].word = 1;
  s->count = s->count + 1;
  if (s->done++ == 1 && !tidemark_machine_failed(!self))
    tidemark_assert(s->count == 2);
  uint64_t all = 0;
  for (int i = 0; self && i < 60; i++)
    all = all * 2 + s->line[i].word;
  return all == 7;
}
