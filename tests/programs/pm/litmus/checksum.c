// A record that is validated by a checksum, with no flush at all: whatever is lost, recovery uses all
// of it or none.  What follows a failed validation is run once for all the ways it can fail.
// OUTCOMES: nothing; record 1 2 3 4
// COUNTS: 33 executions, 33 runs, 1 failure points
#include "../pm.h"

struct record {
  uint64_t data[4][8]; /* four lines */
  uint64_t sum;
};

static uint64_t sum_of(const struct record *r) {
  uint64_t sum = 17;
  for (int i = 0; i < 4; i++)
    sum = sum * 31 + r->data[i][0];
  return sum;
}

int main(void) {
  struct record *r = tidemark_region("record", sizeof *r);
  if (tidemark_failures() == 0) {
    for (uint64_t i = 0; i < 4; i++)
      r->data[i][0] = i + 1;
    r->sum = sum_of(r);
    return 0;
  }
  tidemark_checksum_begin(r, sizeof *r);
  int valid = r->sum == sum_of(r);
  tidemark_checksum_end(valid);
  if (valid)
    tidemark_outcome("record %d %d %d %d", (int)r->data[0][0], (int)r->data[1][0],
                     (int)r->data[2][0], (int)r->data[3][0]);
  else
    tidemark_outcome("nothing");
  return 0;
}
