/* Two owners of one block. */
#include "twin.h"

static int *_Atomic block;

static void *frees(void *unused) {
#ifdef FIXED
  free(atomic_exchange(&block, NULL));
#else
  int *b = block;
  block = NULL;
  free(b);
#endif
  return unused;
}

int main(void) {
  block = malloc(sizeof *block);
  run_both(frees, frees);
}
