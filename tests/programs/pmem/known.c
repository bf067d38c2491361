/* Bytes that an execution has read are known to it; that does not make them readable when their file is unmapped, or
 * protected, or when it is another execution that has not mapped it yet.
 *
 * RUN: %tidemark_cc %s -o %t
 * RUN: %tidemark check --pm-path=/pm %t unmapped > %t.txt 2>&1; test $? = 1 && %FileCheck --check-prefix=UNMAPPED %s < %t.txt
 * RUN: %tidemark check --pm-path=/pm %t protected > %t.txt 2>&1; test $? = 1 && %FileCheck --check-prefix=PROTECTED %s < %t.txt
 * RUN: %tidemark check --pm-path=/pm %t early > %t.txt 2>&1; test $? = 1 && %FileCheck --check-prefix=EARLY %s < %t.txt
 * RUN: %tidemark check --pm-path=/pm %t mapped > %t.txt 2>&1; %FileCheck --check-prefix=MAPPED %s < %t.txt
 *
 * UNMAPPED: error[illegal-access]: {{.*}}read of 8 bytes {{.*}}, which is not mapped
 * UNMAPPED: seen in: 8 executions
 * EARLY: error[illegal-access]: {{.*}}read of 8 bytes {{.*}}, which is not mapped
 * EARLY: seen in: 4 executions
 * PROTECTED: error[segfault]: {{.*}}read of address {{.*}}, which mmap or mprotect forbids
 * PROTECTED: seen in: 8 executions
 * MAPPED: no findings; the search is complete
 */
#include <assert.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <tidemark.h>
#include <unistd.h>
#include <x86intrin.h>

static long *map(const char *path) {
  int fd = open(path, O_RDWR | O_CREAT, 0600);
  assert(fd >= 0 && ftruncate(fd, 4096) == 0);
  long *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  assert(p != MAP_FAILED);
  close(fd);
  return p;
}

static long sum;

static void read_often(const long *p) {
  for (int i = 0; i < 3; i++)
    sum += p[0] + p[8];
}

int main(int argc, char **argv) {
  const char *how = argv[argc - 1];
  long **kept = tidemark_region("kept", sizeof *kept);
  if (!tidemark_failures()) {
    long *p = map("/pm/a");
    *kept = p;
    p[0] = 1;
    p[8] = 2;
    _mm_clflush(kept);
    _mm_clflush(p);
    _mm_sfence();
    return 0;
  }
  if (!strcmp(how, "early") && *kept) {
    char bytes[128];
    int fd = open("/pm/a", O_RDWR);
    assert(fd >= 0 && read(fd, bytes, sizeof bytes) == sizeof bytes); /* now they are known */
    read_often(*kept);
  }
  long *other = map("/pm/b"), *p = map("/pm/a");
  read_often(p);
  read_often(other);
  if (!strcmp(how, "unmapped"))
    munmap(p, 4096);
  if (!strcmp(how, "protected"))
    mprotect(p, 4096, PROT_NONE);
  if (!strcmp(how, "mapped")) {
    munmap(other, 4096);
    p = map("/pm/a");
  }
  read_often(p);
  return 0;
}
