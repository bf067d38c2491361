// EXPECT: none 0
// What libc offers for files works on files in persistent memory: streams, stat, locks, copies, vectors.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
int main(void) {
  const char *path = "/mnt/pmem/file", *other = "/mnt/pmem/other";
  unlink(path);
  unlink(other);
  assert(!fopen(path, "r") && errno == ENOENT);
  FILE *f = fopen(path, "w+");
  assert(f && fprintf(f, "line %d\nline two\n", 1) == 16 && fflush(f) == 0);
  struct stat st;
  struct stat64 st64;
  struct statx sx;
  assert(!stat(path, &st) && st.st_size == 16 && st.st_ctime && st.st_ino);
  assert(!stat64(path, &st64) && st64.st_size == 16 && st64.st_ino == st.st_ino);
  assert(!fstatat(AT_FDCWD, path, &st, 0) && st.st_size == 16);
  assert(!statx(AT_FDCWD, path, 0, STATX_SIZE, &sx) && sx.stx_size == 16);
  assert(!faccessat(AT_FDCWD, path, R_OK, 0));
  rewind(f);
  char line[64];
  assert(fgets(line, sizeof line, f) && !strcmp(line, "line 1\n"));
  assert(fgets(line, sizeof line, f) && !strcmp(line, "line two\n") &&
         !fgets(line, sizeof line, f));
  assert(!fclose(f));
  int a = open(path, O_RDWR), b = open(path, O_RDWR), o = creat(other, 0600);
  assert(!fstat64(o, &st64) && st64.st_ino != st.st_ino && st64.st_size == 0);
  /* Locks are those of this file and this program. */
  assert(!flock(a, LOCK_EX | LOCK_NB) && flock(b, LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK);
  assert(!flock(o, LOCK_EX | LOCK_NB));
  assert(!flock(a, LOCK_UN) && !flock(b, LOCK_EX | LOCK_NB));
  struct flock k = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  assert(!fcntl(a, F_SETLK, &k));
  /* Copies share the position. */
  int c = dup(a), d = fcntl(a, F_DUPFD_CLOEXEC, 20);
  assert(d >= 20 && dup2(a, 30) == 30);
  assert(lseek(a, 5, SEEK_SET) == 5 && lseek(c, 0, SEEK_CUR) == 5 && lseek(d, 0, SEEK_CUR) == 5);
  assert(read(30, line, 1) == 1 && line[0] == '1' && lseek(a, 0, SEEK_CUR) == 6);
  assert(!close(a) && lseek(c, 0, SEEK_CUR) == 6);
  char x[3], y[5];
  struct iovec v[] = {{x, 3}, {y, 5}};
  assert(preadv(c, v, 2, 5) == 8 && !memcmp(x, "1\nl", 3) && !memcmp(y, "ine t", 5));
  struct iovec w[] = {{"AB", 2}, {"CDE", 3}};
  assert(lseek(c, 14, SEEK_SET) == 14 && writev(c, w, 2) == 5);
  assert(pread(b, line, 7, 12) == 7 && !memcmp(line, "twABCDE", 7));
  assert((fcntl(o, F_GETFL) & O_ACCMODE) == O_WRONLY);
  int p = open(path, O_WRONLY | O_APPEND);
  assert(write(p, "Z", 1) == 1 && pread(b, line, 1, 19) == 1 && line[0] == 'Z');
  assert(!truncate64(path, 4) && !fstat(b, &st) && st.st_size == 4);
  f = fopen(path, "a");
  assert(f && fputs("end", f) >= 0 && !fclose(f) && !stat(path, &st) && st.st_size == 7);
  assert(!fopen(path, "wx") && errno == EEXIST);
  return 0;
}
