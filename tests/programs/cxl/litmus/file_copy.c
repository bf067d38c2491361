// OPTIONS:
// OUTCOMES: 0 0 0; 16 0 0; 16 1 0; 16 1 2
// COUNTS: 8 executions, 8 runs, 3 failure points
// OPTIONS: --schedule=all
// OUTCOMES: 0 0 0; 16 0 0; 16 0 2; 16 1 0; 16 1 2
// COUNTS: 3772 executions, 3772 runs, 4 failure points
// read and write between a file of the device and shared memory: a copy inside watched memory.
#include "../cxl.h"
#include <fcntl.h>
#include <unistd.h>

int main(void) {
  volatile uint64_t *buffer = cxl_word(0), *back = cxl_word(64);
  int fd = open("/mnt/pmem/pool", O_RDWR | O_CREAT, 0600);
  if (tidemark_machine() == 0) {
    buffer[0] = 1;
    buffer[1] = 2;
    return pwrite(fd, (void *)buffer, 16, 0) != 16;
  }
  yield_rounds(1);
  long got = pread(fd, (void *)back, 16, 0);
  SHOW("%ld %lu %lu", got, NUMBER(back[0]), NUMBER(back[1]));
}
