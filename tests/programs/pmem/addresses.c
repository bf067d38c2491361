/* Files at addresses that the program asks for.  Machines of a cluster find them there, too; what cannot
 * be had is said, and refused if the program would not hear it.
 *
 * RUN: %tidemark_cc -g %s -o %t
 * RUN: %tidemark check %t 0x7fdd40000000 0x7fde00000000 hint > %t.txt 2>&1 || (cat %t.txt; false)
 * RUN: %FileCheck --check-prefix=GIVEN --implicit-check-not=note: %s < %t.txt
 * RUN: %tidemark check %t 0x100800000000 0x100a00001000 fixed > %t.txt 2>&1 || (cat %t.txt; false)
 * RUN: %FileCheck --check-prefix=GIVEN --implicit-check-not=note: %s < %t.txt
 * RUN: %tidemark check %t 0x50000000 0x90000000 hint > %t.txt 2>&1 || (cat %t.txt; false)
 * RUN: %FileCheck --check-prefix=GIVEN --implicit-check-not=note: %s < %t.txt
 * RUN: %tidemark check --isolate %t 0x7fdd40000000 0x7fde00000000 fixed > %t.txt 2>&1 || (cat %t.txt; false)
 * RUN: %FileCheck --check-prefix=GIVEN --implicit-check-not=note: %s < %t.txt
 * RUN: %tidemark check --model=cxl %t 0x7fdd40000000 0x7fde00000000 fixed > %t.txt 2>&1 || (cat %t.txt; false)
 * RUN: %FileCheck --check-prefix=CXL %s < %t.txt
 *
 * GIVEN: 9 x lost
 * GIVEN: 1 x there
 * GIVEN: no findings; the search is complete
 * CXL: no findings; the search is complete
 *
 * RUN: %tidemark check %t 0x7fdd40000000 0x600000000000 hint > %t.txt 2>&1 || (cat %t.txt; false)
 * RUN: %FileCheck --check-prefix=ELSEWHERE %s < %t.txt
 * ELSEWHERE: no findings; the search is complete
 * ELSEWHERE: note: mmap of '/mnt/pmem/b' at 0x600000000000 gave another address
 *
 * RUN: %tidemark check %t 0x7fdd40000000 0x600000000000 fixed > %t.txt 2>&1; test $? = 3
 * RUN: %FileCheck --check-prefix=REFUSED %s < %t.txt
 * RUN: %tidemark check %t 0x210000000000 0 fixed > %t.txt 2>&1; test $? = 3
 * RUN: %FileCheck --check-prefix=TAKEN %s < %t.txt
 * REFUSED: mmap of '/mnt/pmem/b' at the fixed address 0x600000000000 is not supported
 * TAKEN: mmap of '/mnt/pmem/a' at the fixed address 0x210000000000 is not supported
 *
 * RUN: %tidemark check %t 0x7fdd40000000 0x7fde00000000 hint bug > %t.txt 2>&1; test $? = 1
 * RUN: %FileCheck --check-prefix=BUG %s < %t.txt
 * RUN: %tidemark replay --token=f4.r0.r1 %t 0x7fdd40000000 0x7fde00000000 hint bug > %t.txt 2>&1; test $? = 1
 * RUN: %FileCheck --check-prefix=BUG %s < %t.txt
 * RUN: printf 'set width 0\ncontinue\nbt\n' > %t.in
 * RUN: %tidemark replay --gdb --token=f4.r0.r1 %t 0x7fdd40000000 0x7fde00000000 hint bug < %t.in > %t.txt 2>&1
 * RUN: %FileCheck --check-prefix=GDB %s < %t.txt
 * GDB: tidemark_assert_failed
 * GDB: in main {{.*}}addresses.c
 *
 * BUG: error[assertion]
 * BUG: this load of 8 bytes at /mnt/pmem/a+0x40
 */
#include <assert.h>
#include <fcntl.h>
#include <immintrin.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <tidemark.h>
#include <unistd.h>

static long *map(const char *path, const char *at, const char *how) {
  void *wanted = (void *)strtoul(at, NULL, 0);
  int fd = open(path, O_RDWR | O_CREAT, 0600);
  assert(fd >= 0 && ftruncate(fd, 4096) == 0);
  int fixed = strcmp(how, "fixed") == 0 ? MAP_FIXED : 0;
  void *p = mmap(wanted, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | fixed, fd, 0);
  assert(p != MAP_FAILED);
  if (strncmp(at, "0x6", 3) != 0)
    assert(p == wanted);
  close(fd);
  return p;
}

int main(int argc, char **argv) {
  long *a = map("/mnt/pmem/a", argv[1], argv[3]), *b = map("/mnt/pmem/b", argv[2], argv[3]);
  if (tidemark_failures() || tidemark_machine() == 1) {
    long there = b[0];
    tidemark_outcome(there ? "there" : "lost");
    if (argc > 4 && there)
      tidemark_assert(a[8]);
    return 0;
  }
  a[8] = 1;
  b[0] = 1;
  _mm_clflush(b);
  return 0;
}
