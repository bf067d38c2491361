/* A region of <tidemark.h> is memory like any other here, and flushing it does nothing. */
#include "twin.h"
#include <immintrin.h>
#include <tidemark.h>

struct pair {
  _Atomic int ready, data;
};

static struct pair *pair(void) {
  return tidemark_region("pair", sizeof(struct pair));
}

static void *publish(void *unused) {
#ifdef FIXED
  pair()->data = 1;
  _mm_clflush(pair());
  pair()->ready = 1;
#else
  pair()->ready = 1;
  pair()->data = 1;
#endif
  return unused;
}

static void *look(void *unused) {
  if (pair()->ready)
    tidemark_assert(pair()->data);
  return unused;
}

int main(void) {
  run_both(publish, look);
}
