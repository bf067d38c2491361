// EXPECT: abort 1
// ONLY: pm
// SAYS: in the heap before the failure
// STORE: 13
#include <stdlib.h>
#include <tidemark.h>
int main(void) {
  void **pm = tidemark_region("root", 64);
  if (*pm) {
    free(*pm);
    return 0;
  }
  *pm = malloc(100);
  return 0;
}
