/* A thread remembers which blocks it has freed, however many; the oldest are used again after a while. */
#include "twin.h"

#ifdef FIXED
#define BLOCKS 200 /* so many that some are */
#else
#define BLOCKS 40 /* none is */
#endif

static void *frees(void *unused) {
  int *first = malloc(16);
  free(first);
  for (int i = 0; i < BLOCKS; i++) {
    int *volatile block = malloc(16); /* not left out by the compiler */
    int *p = block;
    *p = i;
    free(p);
  }
#ifndef FIXED
  *first = 1;
#endif
  return unused;
}

int main(void) {
  run_both(frees, frees);
}
