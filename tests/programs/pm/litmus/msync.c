// msync: whole pages with MS_SYNC; nothing is certain with MS_ASYNC, or if the address is not that of a page.
// OPTIONS: --pm-path=/nowhere/pm*
// OUTCOMES: 000000; 100000; 010000; 110000; 111000; 110100; 111100; 111110; 111111
// COUNTS: 17 executions, 12 runs, 6 failure points
#include "../pm.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define AT(n) line[n].word[0]

int main(void) {
  struct stat st;
  int file = open("/nowhere/pm0/litmus", O_RDWR | O_CREAT, 0600);
  if (file < 0 || (tidemark_failures() == 0 && ftruncate(file, 8192)))
    return 1;
  if (fstat(file, &st) || !st.st_size)
    return 0;
  union pm_line *line = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (line == MAP_FAILED)
    return 2;
  if (tidemark_failures()) {
    tidemark_outcome("%d%d%d%d%d%d", (int)AT(0), (int)AT(1), (int)AT(2), (int)AT(3), (int)AT(4),
                     (int)line[64].word[0]);
    return 0;
  }
  AT(0) = 1;
  AT(1) = 1;
  if (msync(line, 1, MS_SYNC))
    return 3;
  AT(2) = 1;
  if (msync(&AT(2), 8, MS_SYNC) != -1 || errno != EINVAL)
    return 4;
  if (msync(line, 4096, MS_ASYNC) || msync(line, 4096, MS_SYNC | MS_ASYNC) != -1)
    return 5;
  AT(3) = 1;
  if (fsync(file))
    return 6;
  AT(4) = 1;
  sync();
  line[64].word[0] = 1;
  munmap(line + 64, 4096);
  if (msync(line, 8192, MS_SYNC) != -1 || errno != ENOMEM)
    return 7;
  return 0;
}
