// Of machines that create the same object, with O_EXCL, one succeeds, in whatever order they do.
// OPTIONS: --schedule=all --failures=0
// OUTCOMES: 0 new + 1 old; 0 old + 1 new; 1 new + 0 old; 1 old + 0 new
// COUNTS: 14 executions, 14 runs, 0 failure points
// OPTIONS: --schedule=random --failures=0
// OUTCOMES: 0 new + 1 old; 0 old + 1 new; 1 new + 0 old; 1 old + 0 new
// COUNTS: 100 executions, 100 runs, 0 failure points
#include "../cxl.h"
#include <fcntl.h>
#include <sys/mman.h>

int main(void) {
  int fd = shm_open("/once", O_RDWR | O_CREAT | O_EXCL, 0600);
  SHOW("%d %s", tidemark_machine(), fd >= 0 ? "new" : "old");
}
