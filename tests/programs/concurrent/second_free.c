/* Two owners of one block of many lines, and nothing that threads could notice but its end. */
#include "twin.h"

static void *block;

static void *frees(void *unused) {
  free(block);
  return unused;
}

static void *nothing(void *unused) {
  return unused;
}

int main(void) {
  block = malloc(1000);
#ifdef FIXED
  run_both(frees, nothing);
#else
  run_both(frees, frees);
#endif
  (void)nothing;
}
