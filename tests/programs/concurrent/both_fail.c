/* Two threads fail, each on its own: both are found, though one is always first. */
#include "twin.h"

static void *one(void *unused) {
#ifndef FIXED
  assert(unused);
#endif
  return unused;
}

static void *two(void *unused) {
#ifndef FIXED
  assert(unused);
#endif
  return unused;
}

int main(void) {
  run_both(one, two);
}
