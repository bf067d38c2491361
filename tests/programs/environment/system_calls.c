// System calls that libc makes about watched memory, which the kernel cannot reach: they work all the same, and what they
// write there are stores that a failure can lose.
// RUN: %tidemark_cc -g -O1 %s -o %t && %t %t.file
// RUN: %tidemark check --json=%t.json %t %t.file; test $? = 1
// RUN: %FileCheck --check-prefix=LOST %s < %t.json
// RUN: %tidemark check --isolate --json=%t.isolated.json %t %t.file; test $? = 1
// RUN: grep -c '"kind": "assertion"' %t.json > %t.count && grep -c '"kind": "assertion"' %t.isolated.json | diff %t.count -
// RUN: %tidemark check --model=cxl --machines=1 --failures=0 %t %t.file
// RUN: %tidemark check --schedule=all --failures=0 --allow-empty %t %t.file
// LOST: "complete": true
// LOST: "text": "assertion failed: m->first != 'A' || m->second == 'b'"
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <immintrin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <tidemark.h>
#include <unistd.h>

#define LARGE 10000 /* more than a stream keeps */

struct memory {
  char text[LARGE];
  _Alignas(64) char first;
  _Alignas(64) char second;
};

static char copy[LARGE];

static void vectors(struct memory *m, int fd) {
  struct iovec *parts = (struct iovec *)(m->text + 64);
  parts[0] = (struct iovec){m->text, 3};
  parts[1] = (struct iovec){copy, 4};
  memcpy(m->text, "one", 3);
  memcpy(copy, " two", 4);
  tidemark_assert(writev(fd, parts, 2) == 7);
  memset(m->text, 0, 3);
  lseek(fd, 0, SEEK_SET);
  tidemark_assert(readv(fd, parts, 2) == 7 && !memcmp(m->text, "one", 3) && !memcmp(copy, " two", 4));
  tidemark_assert(pwritev(fd, parts, 2, 5) == 7 && preadv(fd, parts, 2, 6) == 6);
  tidemark_assert(!memcmp(m->text, "ne ", 3) && !memcmp(copy, "two", 3));
  tidemark_assert(readv(-1, parts, 2) == -1 && errno == EBADF);
  tidemark_assert(writev(fd, (const struct iovec *)8, 2) == -1 && errno == EFAULT);
}

static void streams(struct memory *m, const char *path) {
  FILE *f = fopen(path, "w+");
  memset(m->text, 'x', LARGE);
  tidemark_assert(fwrite(m->text, 1, LARGE, f) == LARGE && fflush(f) == 0);
  memset(m->text, 0, LARGE);
  rewind(f);
  tidemark_assert(fread(m->text, 1, LARGE, f) == LARGE && m->text[LARGE - 1] == 'x');
  setvbuf(f, m->text, _IOFBF, 4096);
  tidemark_assert(fputs("buffered there", f) >= 0 && fflush(f) == 0);
  fclose(f);
}

static void records(struct memory *m, const char *path, int fd) {
  struct stat *st = (struct stat *)m->text;
  struct utsname *name = (struct utsname *)m->text;
  tidemark_assert(fstat(fd, st) == 0 && S_ISREG(st->st_mode));
  strcpy(m->text + 1024, path);
  memset(st, 0, sizeof *st);
  tidemark_assert(stat(m->text + 1024, st) == 0 && S_ISREG(st->st_mode) && st->st_size > LARGE);
  int opened = open(m->text + 1024, O_RDONLY);
  tidemark_assert(opened >= 0 && close(opened) == 0);
  tidemark_assert(uname(name) == 0 && !strcmp(name->sysname, "Linux"));
  tidemark_assert(getcwd(m->text, 2048) == m->text && m->text[0] == '/');
  tidemark_assert(getrandom(m->text, 8, 0) == 8);
  tidemark_assert(readlink("/proc/self/exe", m->text, 100) > 0);
  strcpy(m->text, "/nowhere");
  tidemark_assert(access(m->text, F_OK) == -1 && errno == ENOENT);
}

/* The bug: the second half is not flushed. */
static void halves(struct memory *m, int fd) {
  struct iovec parts[] = {{&m->first, 1}, {&m->second, 1}};
  tidemark_assert(pwrite(fd, "ab", 2, 0) == 2 && preadv(fd, parts, 2, 0) == 2);
  _mm_clflush(&m->first);
  m->first = 'A';
  _mm_clflush(&m->first);
}

int main(int argc, char **argv) {
  (void)argc;
  struct memory *m = tidemark_region("memory", sizeof *m);
  if (tidemark_failures()) {
    tidemark_assert(m->first != 'A' || m->second == 'b');
    return 0;
  }
  int fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
  vectors(m, fd);
  streams(m, argv[1]);
  records(m, argv[1], fd);
  halves(m, fd);
}
