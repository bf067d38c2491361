// OPTIONS:
// OUTCOMES: 0 0 0 then 0 0 0; 1 0 0 then 0 1 0; 1 2 0 then 0 1 2; 1 2 3 then 0 1 3; 1 2 3 then 1 1 3
// COUNTS: 7 executions, 7 runs, 2 failure points
// Copies of a struct out of shared memory, by assignment and by value.
#include "../cxl.h"

struct record {
  uint64_t a, b, c;
};

static unsigned long third_of(struct record r) {
  return r.c ? r.c : r.b;
}

int main(void) {
  struct record *shared = (struct record *)cxl_word(0);
  if (tidemark_machine() == 0) {
    struct record r = {1, 2, 3};
    *shared = r;
    yield_rounds(1);
    commit();
    return 0;
  }
  struct record copy = *shared;
  yield_rounds(1);
  unsigned long z = Z;
  SHOW("%lu %lu %lu then %lu %lu %lu", copy.a, copy.b, copy.c, z, NUMBER(shared->a),
       third_of(*shared));
}
