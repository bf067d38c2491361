// A file that is mapped under --pm-path is persistent memory.
// OPTIONS: --pm-path=/nowhere/pm*
// OUTCOMES: x=0 y=0; x=1 y=0; x=1 y=1
// COUNTS: 9 executions, 6 runs, 4 failure points
#include "../pm.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
  int file = open("/nowhere/pm0/litmus", O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, 4096))
    return 1;
  union pm_line *line = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (line == MAP_FAILED)
    return 2;
  if (tidemark_failures() == 0) {
    X = 1;
    clwb(&X);
    _mm_sfence();
    Y = 1;
  } else {
    tidemark_outcome("x=%d y=%d", (int)X, (int)Y);
  }
  munmap(line, 4096);
  close(file);
  return 0;
}
