// mprotect of a mapped file in persistent memory: what it takes away is a segmentation fault, until it is
// given back, the file is unmapped, or the next execution begins.
// RUN: %clang -O1 -g -fPIC -c %S/../bypass/Inputs/plain.c -o %t.plain.o
// RUN: %tidemark_cc -g %s %t.plain.o -o %t
// RUN: %tidemark check --pm-path=/pmem --json=%t.json %t fine && %tidemark check --isolate --pm-path=/pmem %t fine
// RUN: for w in store part none foreign foreign-read memset; do %tidemark check --pm-path=/pmem --json=%t.json %t $w; test $? = 1 || exit 1; %FileCheck --check-prefix=FAULT %s < %t.json || exit 1; done
// RUN: %tidemark check --model=cxl --pm-path=/pmem --json=%t.json %t machines
// FAULT: "kind": "segfault"
// FAULT: "message": "segmentation fault: {{write to|read of}} address 0x{{[0-9a-f]+}}, which mmap or mprotect forbids"
// FAULT: mprotect.c
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <tidemark.h>
#include <unistd.h>

#define BYTES (4 * 4096)

uint64_t plain_load(const uint64_t *p);
void plain_store(uint64_t *p, uint64_t value);

static int is(const char *a, const char *b) {
  return strcmp(a, b) == 0;
}

static void fine(char *p, int fd) {
  tidemark_assert(mprotect(p, BYTES, PROT_READ) == 0 && p[0] == 1);
  tidemark_assert(plain_load((uint64_t *)p) == 1);
  tidemark_assert(pwrite(fd, "x", 1, 100) == 1 && p[100] == 'x'); /* by the kernel */
  tidemark_assert(mprotect(p + 4096, 4096, PROT_READ | PROT_WRITE) == 0);
  p[4096] = 2;
  plain_store((uint64_t *)(p + 8184), 3);
  tidemark_assert(mprotect(p, BYTES, PROT_READ | PROT_WRITE) == 0);
  p[0] = 1;
  p[8192] = 4;
  tidemark_assert(mprotect(p, BYTES, PROT_NONE) == 0 && munmap(p, BYTES) == 0);
  p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  p[0] = 1;
  tidemark_assert(mprotect(p + 1, 4096, PROT_READ) == -1 && errno == EINVAL);
  tidemark_assert(mprotect(p, (size_t)1 << 38, PROT_READ) == -1 && errno == ENOMEM);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  int fd = open("/pmem/file", O_RDWR | O_CREAT, 0600);
  if (ftruncate(fd, BYTES))
    return 1;
  char *p = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (is(what, "machines")) {
    if (tidemark_machine() == 0)
      tidemark_assert(mprotect(p, BYTES, PROT_READ) == 0);
    else
      p[8] = 1; /* its own mapping */
    return 0;
  }
  p[0] = 1;
  if (is(what, "fine"))
    fine(p, fd);
  else if (is(what, "none"))
    mprotect(p, BYTES, PROT_NONE), *(volatile char *)p;
  else
    mprotect(p + 4096, 4096, is(what, "foreign-read") ? PROT_NONE : PROT_READ);
  if (is(what, "store"))
    p[4096] = 1;
  if (is(what, "part"))
    *(uint64_t *)(p + 4092) = 1;
  if (is(what, "memset"))
    memset(p, 1, 8192);
  if (is(what, "foreign"))
    plain_store((uint64_t *)(p + 4096), 1);
  if (is(what, "foreign-read"))
    plain_load((uint64_t *)(p + 4096));
  return 0;
}
