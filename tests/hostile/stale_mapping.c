// EXPECT: segfault 1
// ONLY: pm
// SAYS: in the heap before the failure
// Anonymous mappings are gone too; munmap of one that is gone does nothing.
#include <sys/mman.h>
#include <tidemark.h>
int main(void) {
  char **pm = tidemark_region("root", 64);
  if (*pm) {
    if (munmap(*pm, 8192) || mprotect(*pm, 8192, PROT_READ) == 0)
      return 1;
    return **pm;
  }
  char *p = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    return 2;
  *pm = p;
  return *p;
}
