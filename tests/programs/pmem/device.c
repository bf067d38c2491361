/* A device that --pm-path names is there, on whatever machine the program is checked, and as large as
 * it is mapped; a file is not there before somebody creates it, nor is one below /dev/shm.
 *
 * RUN: %tidemark_cc %s -o %t
 * RUN: %tidemark check --pm-path=/dev/dax*:/mnt/pmem*:/dev/shm %t > %t.txt 2>&1 || (cat %t.txt; false)
 * RUN: %FileCheck %s < %t.txt
 * RUN: %tidemark check --model=cxl %t > %t.txt 2>&1 || (cat %t.txt; false)
 * RUN: %FileCheck %s < %t.txt
 *
 * CHECK-DAG: lost
 * CHECK-DAG: there
 * CHECK: no findings; the search is complete
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <immintrin.h>
#include <sys/mman.h>
#include <tidemark.h>
#include <unistd.h>

#define BYTES ((size_t)1 << 28)

int main(void) {
  assert(open("/mnt/pmem0/file", O_RDWR) < 0 && errno == ENOENT);
  assert(open("/dev/shm/no such file", O_RDWR) < 0 && errno == ENOENT);
  int fd = open("/dev/dax7.3", O_RDWR);
  assert(fd >= 0);
  char *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  assert(p != MAP_FAILED);
  volatile long *value = (long *)(p + BYTES - 64);
  if (tidemark_failures() || tidemark_machine() == 1) {
    tidemark_outcome(*value ? "there" : "lost");
    return 0;
  }
  *value = 1;
  _mm_clflush((void *)value);
  return 0;
}
