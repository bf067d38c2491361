// EXPECT: segfault 1
// ONLY: pm
// OPTIONS: --failures=2
// SAYS: in the heap before the failure
// STORE: 17
// The execution before any failure keeps nothing, recovery does: only a second failure shows it.
#include <stdlib.h>
#include <tidemark.h>
struct root { long started; long *cache; };
int main(void) {
  struct root *pm = tidemark_region("root", sizeof *pm);
  if (!pm->started) {
    pm->started = 1;
  } else if (pm->cache) {
    return (int)*pm->cache;
  } else {
    pm->cache = calloc(1, sizeof(long));
  }
  return 0;
}
