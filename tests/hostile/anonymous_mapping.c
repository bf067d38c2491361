// EXPECT: none 0
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
int main(void) {
  char *p = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED || p[0] || p[99999])
    return 1;
  memset(p, 1, 1 << 20);
  if (mprotect(p, 4096, PROT_READ))
    return 2;
  return munmap(p + 8192, 4096);
}
