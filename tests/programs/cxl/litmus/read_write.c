// OPTIONS:
// OUTCOMES: 0 0, 0 0; 0 2, 0 0; 1 0, 0 0; 1 2, 0 0; 1 2, 0 6; 1 2, 5 0; 1 2, 5 6
// COUNTS: 13 executions, 13 runs, 4 failure points
// OPTIONS: --coherence=cxlmc
// OUTCOMES: 0 0, 0 0; 0 2, 0 0; 1 0, 0 0; 1 2, 0 0; 1 2, 0 6; 1 2, 5 0; 1 2, 5 6
// COUNTS: 13 executions, 13 runs, 4 failure points
// write and read with buffers in shared memory are loads and stores like any other: what is written to
// a file is what the loads read, and what is read from it can be lost.
#define _GNU_SOURCE
#include "../cxl.h"
#include <fcntl.h>
#include <unistd.h>

int main(void) {
  volatile uint64_t *buffer = cxl_word(0), *back = cxl_word(64);
  int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);
  uint64_t word[2] = {5, 6}, seen[2];
  if (tidemark_machine() == 0) {
    buffer[0] = 1;
    buffer[8] = 2;
    yield_rounds(1);
    if (pwrite(fd, word, sizeof word, 0) != 16 || read(fd, (void *)(back + 7), 16) != 16)
      return 1;
    return 0;
  }
  if (pwrite(fd, (void *)buffer, 72, 0) != 72 || pread(fd, seen, 8, 0) != 8 || pread(fd, seen + 1, 8, 64) != 8)
    return 1;
  yield_rounds(1);
  SHOW("%lu %lu, %lu %lu", seen[0], seen[1], NUMBER(back[7]), NUMBER(back[8]));
}
