/* Each execution stores to a page of its own, and finds all pages as they were at the start. */
#include "twin.h"

#define PAGE 4096

static char pages[64 * PAGE];
static atomic_int step;

static void *stores(void *unused) {
  int seen = step;
  for (int i = 0; i < 64; i++) /* here: executions go on from where they part */
    assert(pages[i * PAGE] == 0);
  pages[(8 + 8 * seen) * PAGE] = 1;
  assert(seen != 2);
  return unused;
}

static void *steps(void *unused) {
  step = 1;
#ifndef FIXED
  step = 2;
#endif
  return unused;
}

int main(void) {
  run_both(stores, steps);
}
