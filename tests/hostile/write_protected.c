// EXPECT: segfault 1
#include <sys/mman.h>
int main(void) {
  volatile char *p = mmap(0, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  p[5000] = 1;
  return 0;
}
