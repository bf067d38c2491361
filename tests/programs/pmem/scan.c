/* A recovery that looks at every word of its file takes more steps than one that hangs usually is given, and many more
 * than the execution before the failure.  One that does not end is found all the same.
 *
 * RUN: %tidemark_cc %s -o %t
 * RUN: %tidemark check %t 2>&1 | %FileCheck %s
 * CHECK: no findings; the search is complete
 * RUN: %tidemark check %t endless > %t.txt 2>&1; test $? = 1
 * RUN: %FileCheck --check-prefix=ENDLESS %s < %t.txt
 * ENDLESS: error[hang]: the program hangs: no end after 4194304 steps
 */
#include <fcntl.h>
#include <immintrin.h>
#include <sys/mman.h>
#include <tidemark.h>
#include <unistd.h>

#define BYTES ((size_t)16 << 20)

int main(int count, char **words) {
  (void)words;
  int fd = open("/mnt/pmem0/log", O_RDWR | O_CREAT, 0600);
  if (ftruncate(fd, BYTES))
    return 1;
  volatile long *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  long used = 0;
  if (tidemark_failures()) {
    do
      for (size_t i = 0; i < BYTES / sizeof *p; i++)
        used += p[i] != 0;
    while (count > 1);
    tidemark_assert(used <= 1);
    return 0;
  }
  p[1000] = 1;
  _mm_clflush((void *)&p[1000]);
  return 0;
}
