/* A packed field that lies in two words: a reader can see one half of a store. */
#include "twin.h"
#include <stdint.h>

#ifdef FIXED
struct record {
  char before[6];
  _Atomic uint32_t field;
};
#else
struct __attribute__((packed, aligned(8))) record {
  char before[6];
  volatile uint32_t field;
};
#endif

static struct record record;

static void *writes(void *unused) {
  record.field = 0xffffffff;
  return unused;
}

static void *reads(void *unused) {
  uint32_t seen = record.field;
  assert(seen == 0 || seen == 0xffffffff);
  return unused;
}

int main(void) {
  run_both(writes, reads);
}
