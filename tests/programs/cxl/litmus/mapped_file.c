// OPTIONS:
// OUTCOMES: 0; 3
// COUNTS: 7 executions, 7 runs, 3 failure points
// OPTIONS: --gpf
// OUTCOMES: 0; 3
// COUNTS: 5 executions, 4 runs, 4 failure points
// A program that knows nothing of the checker: both machines map one file of the CXL device.
#include "../cxl.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
  int fd = open("/mnt/pmem/pool", O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ftruncate(fd, 4096))
    return 1;
  volatile uint64_t *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (tidemark_machine() == 0) {
    p[0] = 3;
    return 0;
  }
  SHOW("%lu", NUMBER(p[0]));
}
