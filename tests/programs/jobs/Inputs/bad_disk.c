// Loaded in front of libc: saved searches lie on a file system without locks (TEST_NO_LOCKS), or on one that is full
// while records FROM to TO - 1 are written (TEST_FULL="FROM TO"). Only for the process that it was loaded for.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static int records;

__attribute__((constructor)) static void leave_others_alone(void) {
  unsetenv("LD_PRELOAD");
}

static int is_saved_search(int fd) {
  char link[64], path[4096] = "";
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, path, sizeof path - 1);
  return n > 7 && strcmp(path + n - 7, "/search") == 0;
}

int flock(int fd, int operation) {
  int (*real)(int, int) = dlsym(RTLD_NEXT, "flock");
  if (!getenv("TEST_NO_LOCKS") || !is_saved_search(fd))
    return real(fd, operation);
  errno = ENOSYS;
  return -1;
}

int fdatasync(int fd) {
  int (*real)(int) = dlsym(RTLD_NEXT, "fdatasync");
  const char *full = getenv("TEST_FULL");
  int from, to;
  if (!full || !is_saved_search(fd) || sscanf(full, "%d %d", &from, &to) != 2)
    return real(fd);
  records++;
  if (records < from || records >= to)
    return real(fd);
  errno = ENOSPC;
  return -1;
}
