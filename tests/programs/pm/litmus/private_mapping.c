// A private mapping shows what the file holds, in doubt or not; what is stored there is lost.
// OPTIONS: --pm-path=/nowhere/pm*
// OUTCOMES: x=0 y=0 beyond=0; x=1 y=0 beyond=0; x=1 y=1 beyond=0
// COUNTS: 9 executions, 6 runs, 4 failure points
#include "../pm.h"
#include <assert.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
  int file = open("/nowhere/pm0/file", O_RDWR | O_CREAT, 0600);
  assert(file >= 0 && ftruncate(file, 4096 + 256) == 0);
  if (tidemark_failures()) {
    union pm_line *line = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    assert(line != MAP_FAILED);
    tidemark_outcome("x=%d y=%d beyond=%d", (int)X, (int)Y, ((int *)line)[1100]);
    int x = (int)X;
    X = 5;
    munmap(line, 8192);
    int *again = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
    tidemark_assert(*again == x);
    return 0;
  }
  union pm_line *line = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  assert(line != MAP_FAILED);
  X = 1;
  clwb(&X);
  _mm_sfence();
  Y = 1;
  return 0;
}
