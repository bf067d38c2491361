// Files may become as large as they like: by ftruncate, by writing beyond their end, before they are mapped
// and after that.
// OPTIONS: --pm-path=/nowhere/pm*
// OUTCOMES: 0 0; 0 7; 7 0; 7 7
// COUNTS: 12 executions, 8 runs, 5 failure points
#include "../pm.h"
#include <assert.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define SMALL ((size_t)80 << 20)
#define LARGE ((size_t)5 << 30)

static uint64_t *map(int file, size_t bytes) {
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  assert(p != MAP_FAILED);
  return p;
}

int main(void) {
  int file = open("/nowhere/pm0/file", O_RDWR | O_CREAT, 0600);
  assert(file >= 0);
  assert(lseek(file, 0, SEEK_END) >= (off_t)SMALL || pwrite(file, "", 1, SMALL - 1) == 1);
  uint64_t *p = map(file, SMALL);
  assert(ftruncate(file, LARGE) == 0);
  uint64_t *q = map(file, LARGE), *last = q + LARGE / sizeof *q - 1;
  if (tidemark_failures()) {
    tidemark_outcome("%d %d", (int)p[0], (int)*last);
    return 0;
  }
  *last = 7;
  q[0] = 7;
  return 0;
}
