// EXPECT: segfault 1
// ONLY: pm
// SAYS: in the heap before the failure
// The same with a block of many pages, and with a certain load: it is flushed.
#include <immintrin.h>
#include <stdlib.h>
#include <string.h>
#include <tidemark.h>
int main(void) {
  char **pm = tidemark_region("root", 64);
  if (*pm)
    return (*pm)[50000];
  char *p = malloc(100000);
  memset(p, 0, 100000);
  *pm = p;
  _mm_clflush(pm);
  return 0;
}
