/* What of a file is mapped, and where it ends: an access elsewhere is a fault on a real machine, too.
 *
 * RUN: rm -rf %t && mkdir -p %t
 * A failure between open and ftruncate leaves an empty file, whose pages cannot be touched.
 * RUN: %tidemark_cc -g -DEMPTY %s -o %t/empty
 * RUN: %tidemark check %t/empty > %t/empty.log 2>&1; test $? = 1
 * RUN: %FileCheck --check-prefix=EMPTY %s < %t/empty.log
 * EMPTY: error[illegal-access]: {{.*}}read of 8 bytes at {{.*}} in '/mnt/pmem0/f', beyond the end of the file, which has 0 KiB (a bus error)
 * EMPTY: note: the power failed before this call was over, which changes the directory entry of /mnt/pmem0/f
 * EMPTY: 1 finding; the search is complete
 * RUN: %tidemark_cc -g -DEMPTY -DFIX %s -o %t/fixed && %tidemark check %t/fixed
 * RUN: %tidemark check --isolate %t/empty > %t/isolated.log 2>&1; %FileCheck --check-prefix=EMPTY %s < %t/isolated.log
 *
 * RUN: %tidemark_cc -g -DSHRUNK %s -o %t/shrunk
 * RUN: %tidemark check %t/shrunk > %t/log 2>&1; test $? = 1 && %FileCheck --check-prefix=SHRUNK %s < %t/log
 * SHRUNK: beyond the end of the file, which has 4 KiB (a bus error)
 * SHRUNK: //@second
 * RUN: %tidemark_cc -g -DLARGER %s -o %t/larger
 * RUN: %tidemark check %t/larger > %t/log 2>&1; test $? = 1 && %FileCheck --check-prefix=LARGER %s < %t/log
 * LARGER: beyond the end of the file, which has 4 KiB (a bus error)
 *
 * Beyond the mapping; in a part that was unmapped; the rest of it stays.
 * RUN: %tidemark_cc -g -DSMALLER %s -o %t/smaller
 * RUN: %tidemark check %t/smaller > %t/log 2>&1; test $? = 1 && %FileCheck --check-prefix=SMALLER %s < %t/log
 * SMALLER: error[illegal-access]: {{.*}} in '/mnt/pmem0/f', which is not mapped there
 * RUN: %tidemark_cc -g -DPARTS %s -o %t/parts
 * RUN: %tidemark check %t/parts > %t/log 2>&1; test $? = 1 && %FileCheck --check-prefix=PARTS %s < %t/log
 * PARTS: error[illegal-access]: {{.*}} in '/mnt/pmem0/f', which is not mapped there
 * PARTS: //@gone
 *
 * A mapping without PROT_WRITE, until mprotect; and a descriptor that was opened for reading.
 * RUN: %tidemark_cc -g -DREADING %s -o %t/reading
 * RUN: %tidemark check %t/reading > %t/log 2>&1; test $? = 1 && %FileCheck --check-prefix=READING %s < %t/log
 * READING: error[segfault]: segmentation fault: write to address
 * READING: //@forbidden
 *
 * What is all right: several mappings of the same pages, and a file that grows while it is mapped.
 * RUN: %tidemark_cc -g -DWELL %s -o %t/well && %tidemark check %t/well
 * RUN: %tidemark check --schedule=all %t/well && %tidemark check --no-share --failures=2 %t/well
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <tidemark.h>
#include <unistd.h>

#define PAGE 4096
#define BOTH (PROT_READ | PROT_WRITE)

static char *map(int fd, size_t bytes, int protection, off_t offset) {
  char *p = mmap(NULL, bytes, protection, MAP_SHARED, fd, offset);
  assert(p != MAP_FAILED);
  return p;
}

int main(void) {
  int fd = open("/mnt/pmem0/f", O_RDWR | O_CREAT, 0600);
  assert(fd >= 0);
#if defined(EMPTY)
  if (!tidemark_failures())
    ftruncate(fd, PAGE);
#ifdef FIX
  struct stat st;
  fstat(fd, &st);
  if (!st.st_size)
    return 0;
#endif
  long *count = (long *)map(fd, PAGE, BOTH, 0);
  *count += 1;
  msync(count, PAGE, MS_SYNC);
#elif defined(SHRUNK)
  ftruncate(fd, 2 * PAGE);
  char *p = map(fd, 2 * PAGE, BOTH, 0);
  p[PAGE] = 1;
  ftruncate(fd, PAGE);
  p[0] = p[1];
  p[PAGE] = 2; //@second
#elif defined(LARGER)
  ftruncate(fd, 1);
  char *p = map(fd, 2 * PAGE, BOTH, 0);
  p[PAGE - 1] = 1;
  p[PAGE] = 1;
#elif defined(SMALLER)
  ftruncate(fd, 2 * PAGE);
  char *p = map(fd, PAGE, BOTH, 0);
  p[0] = 1;
  p[PAGE] = 1;
#elif defined(PARTS)
  ftruncate(fd, 3 * PAGE);
  char *p = map(fd, 3 * PAGE, BOTH, 0);
  p[PAGE] = 1;
  munmap(p + PAGE, PAGE);
  p[0] = p[2 * PAGE] = 1;
  p[0] += p[PAGE]; //@gone
#elif defined(READING)
  ftruncate(fd, PAGE);
  int reading = open("/mnt/pmem0/f", O_RDONLY);
  assert(mmap(NULL, PAGE, BOTH, MAP_SHARED, reading, 0) == MAP_FAILED && errno == EACCES);
  char *p = map(reading, PAGE, PROT_READ, 0);
  assert(p[0] == 0);
  munmap(p, PAGE);
  p = map(fd, PAGE, PROT_READ, 0);
  mprotect(p, PAGE, BOTH);
  p[0] = 1;
  munmap(p, PAGE);
  p = map(fd, PAGE, PROT_READ, 0);
  p[0] = 2; //@forbidden
#else
  if (tidemark_failures()) {
    struct stat st;
    fstat(fd, &st);
    char *p = map(fd, 3 * PAGE, BOTH, 0); /* more than it has */
    if (st.st_size >= 2 * PAGE && p[0] == 2)
      assert(p[PAGE] == 1);
    return 0;
  }
  char *p = map(fd, 2 * PAGE, BOTH, 0); /* it is empty still */
  ftruncate(fd, PAGE);
  p[0] = 1;
  char *again = map(fd, PAGE, BOTH, 0);
  again[1] = 1;
  munmap(again, PAGE);
  p[2] = p[1];
  ftruncate(fd, 2 * PAGE);
  p[PAGE] = 1;
  msync(p, 2 * PAGE, MS_SYNC);
  p[0] = 2;
  munmap(p, PAGE);
  p[PAGE] = 1;
  p = map(fd, PAGE, BOTH, 0);
  p = mremap(p, PAGE, 3 * PAGE, MREMAP_MAYMOVE);
  assert(p != MAP_FAILED);
  ftruncate(fd, 3 * PAGE);
  p[2 * PAGE] = p[0];
  assert(mremap(p, 3 * PAGE, PAGE, 0) == p && p[0] == 2);
#endif
  return 0;
}
