// Ordinary mappings: what is dropped is zero, whatever may be done to it, and pages of files stay as they are; pages that
// are given back can be written to by whoever gets them next; room that was reserved is filled.
// RUN: %tidemark_cc -g %s -o %t && cp %s %t.file
// RUN: %t %t.file && %tidemark check --allow-empty %t %t.file && %tidemark check --model=sc %t %t.file
// RUN: %tidemark check --allow-empty --model=cxl --machines=2 %t %t.file
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <tidemark.h>

#define PAGE ((size_t)4096)

static char *anonymous(size_t bytes, int protection) {
  char *p = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  tidemark_assert(p != MAP_FAILED);
  return p;
}

static void dropped(void) {
  char *p = anonymous(3 * PAGE, PROT_READ | PROT_WRITE);
  p[0] = p[PAGE] = p[2 * PAGE] = 1;
  tidemark_assert(!mprotect(p, PAGE, PROT_NONE) && !mprotect(p + PAGE, PAGE, PROT_READ));
  tidemark_assert(madvise(p + 1, PAGE, MADV_DONTNEED) == -1 && errno == EINVAL);
  tidemark_assert(!madvise(p, 3 * PAGE - 1, MADV_DONTNEED));
  tidemark_assert(p[PAGE] == 0 && p[2 * PAGE] == 0);
  p[2 * PAGE] = 2;
  tidemark_assert(!mprotect(p, PAGE, PROT_READ) && p[0] == 0);
  tidemark_assert(!munmap(p, 3 * PAGE));
}

static void of_file(const char *path) {
  int fd = open(path, O_RDONLY);
  char *p = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
  tidemark_assert(p[0] == '/' && !madvise(p, PAGE, MADV_DONTNEED) && p[0] == '/');
  tidemark_assert(!munmap(p, PAGE));
  p = anonymous(PAGE, PROT_READ | PROT_WRITE);
  p[0] = 1;
  tidemark_assert(!madvise(p, PAGE, MADV_DONTNEED) && p[0] == 0);
}

static void rest_of_file(const char *path) {
  char copy[PAGE];
  char *p = mmap(NULL, 3 * PAGE, PROT_READ, MAP_PRIVATE, open(path, O_RDONLY), 0);
  memcpy(copy, p + 2 * PAGE, PAGE);
  tidemark_assert(!munmap(p, PAGE) && !madvise(p + 2 * PAGE, PAGE, MADV_DONTNEED));
  tidemark_assert(memcmp(copy, p + 2 * PAGE, PAGE) == 0);
}

static void given_back(void) {
  char *p = anonymous(2 * PAGE, PROT_READ | PROT_WRITE);
  p[0] = 7;
  tidemark_assert(!mprotect(p, 2 * PAGE, PROT_READ));
  p = mremap(p, 2 * PAGE, 200 * PAGE, MREMAP_MAYMOVE);
  tidemark_assert(p != MAP_FAILED && p[0] == 7);
  for (int i = 0; i < 10; i++)
    anonymous(2 * PAGE, PROT_READ | PROT_WRITE)[0] = 1;
}

static void reserved(void) {
  char *p = anonymous(8 * PAGE, PROT_NONE);
  char *q = mmap(p + PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  tidemark_assert(q == p + PAGE);
  q[0] = 1;
  tidemark_assert(mmap(NULL, SIZE_MAX, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED && errno == ENOMEM);
}

int main(int argc, char **argv) {
  (void)argc;
  dropped();
  of_file(argv[1]);
  rest_of_file(argv[0]);
  given_back();
  reserved();
}
