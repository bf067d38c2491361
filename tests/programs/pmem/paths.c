/* One file has many spellings: relative ones, with dots, with slashes too many.  --pm-path, too.
 *
 * RUN: rm -rf %t && mkdir -p %t/pm %t/other && %tidemark_cc %s -o %t/prog && cd %t
 * RUN: %tidemark check --pm-path=%t/pm ./prog > out.txt 2>&1 || (cat out.txt; false)
 * RUN: %tidemark check --pm-path=%t/pm/ ./prog > out.txt 2>&1 || (cat out.txt; false)
 * RUN: %tidemark check --pm-path=pm ./prog > out.txt 2>&1 || (cat out.txt; false)
 * RUN: %tidemark check --pm-path=./other/../p* ./prog > out.txt 2>&1 || (cat out.txt; false)
 * RUN: %FileCheck %s < out.txt
 * RUN: test ! -e pm/file
 * RUN: %tidemark check --pm-path=other ./prog > out.txt 2>&1; test $? = 3
 *
 * CHECK: no findings; the search is complete
 * CHECK-NOT: note: */
#include <assert.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/mman.h>
#include <tidemark.h>
#include <unistd.h>

static long *map(int fd) {
  assert(fd >= 0 && ftruncate(fd, 4096) == 0);
  long *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  assert(p != MAP_FAILED);
  close(fd);
  return p;
}

static int at(const char *path) {
  return open(path, O_RDWR | O_CREAT, 0600);
}

int main(void) {
  char directory[PATH_MAX], absolute[PATH_MAX + 16];
  assert(getcwd(directory, sizeof directory));
  snprintf(absolute, sizeof absolute, "%s/pm/file", directory);
  if (tidemark_failures())
    return 0;
  long *p = map(at("pm/file")), *q = map(at("./pm//file"));
  long *r = map(at("other/../pm/./file")), *s = map(at(absolute));
  int other = open("other", O_RDONLY | O_DIRECTORY);
  long *u = map(openat(other, "../pm/file", O_RDWR | O_CREAT, 0600));
  assert(chdir("pm") == 0);
  long *t = map(at("file"));
  assert(chdir("/") == 0);
  *p = 7;
  assert(*q == 7 && *r == 7 && *s == 7 && *t == 7 && *u == 7);
  return 0;
}
