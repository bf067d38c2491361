/* A file that is too large for the checker: what the program makes of it is its own affair, and the report
 * says how large files can be.
 *
 * RUN: %tidemark_cc %s -o %t
 * RUN: %tidemark check %t 0 > %t.txt 2>&1 || (cat %t.txt; false)
 * RUN: %FileCheck --check-prefix=FITS --implicit-check-not=note: %s < %t.txt
 * RUN: %tidemark check %t 200 > %t.txt 2>&1; test $? = 1
 * RUN: %FileCheck %s < %t.txt
 * FITS: no findings; the search is complete
 * CHECK: the program ended with exit status 28
 * CHECK: note: no room for '/mnt/pmem/large' with 204800 MiB: a file of persistent memory has at most 128 GiB
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv) {
  size_t bytes = argc > 1 ? strtoul(argv[1], NULL, 0) << 30 : 0;
  int fd = open("/mnt/pmem/large", O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ftruncate(fd, (off_t)(bytes + 4096)) < 0)
    return errno == ENOSPC ? 28 : 1;
  long *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (p == MAP_FAILED)
    return 1;
  *p = 1;
  return 0;
}
