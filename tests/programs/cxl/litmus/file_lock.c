// OPTIONS: --failures=0
// OUTCOMES: 0 in + 0 out + 1 in + 1 out
// COUNTS: 1 executions, 1 runs, 0 failure points
// OPTIONS:
// MACHINES: file_lock.c 0; file_lock.c 0
// OUTCOMES: 0 in + 0 out; 0 in + 0 out + 1 in; 0 in + 0 out + 1 in + 1 out; 0 in + 1 after one that failed + 1 out; 0 in + 1 in + 1 out; 1 in + 1 out
// COUNTS: 10 executions, 9 runs, 6 failure points
// OPTIONS:
// MACHINES: file_lock.c 1; file_lock.c 1
// OUTCOMES: 0 in + 0 out; 0 in + 0 out + 1 in; 0 in + 0 out + 1 in + 1 out; 0 in + 1 after one that failed + 1 out; 0 in + 1 in + 1 out; 1 in + 1 out
// COUNTS: 9 executions, 9 runs, 6 failure points
// OPTIONS:
// MACHINES: file_lock.c 2; file_lock.c 2
// OUTCOMES: 0 in + 0 out; 0 in + 0 out + 1 in; 0 in + 0 out + 1 in + 1 out; 0 in + 1 after one that failed + 1 out; 0 in + 1 in + 1 out; 1 in + 1 out
// COUNTS: 18 executions, 15 runs, 14 failure points
// OPTIONS:
// MACHINES: file_lock.c 3; file_lock.c 3
// OUTCOMES: 0 in + 0 out; 0 in + 0 out + 1 in; 0 in + 0 out + 1 in + 1 out; 0 in + 1 after one that failed + 1 out; 0 in + 1 in + 1 out; 1 in + 1 out
// COUNTS: 18 executions, 15 runs, 14 failure points
// Locks of files exclude machines from each other, and a failure releases them: flock, of a file in shared memory and of
// an ordinary one, and locks of ranges, which others of the same machine do not notice.
#define _GNU_SOURCE
#include "../cxl.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#define INSIDE (*cxl_word(16))

static void check_own(int fd) {
  struct flock part = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 4, .l_len = 4};
  tidemark_assert(fcntl(fd, F_GETLK, &part) == 0 && part.l_type == F_UNLCK);
  part.l_type = F_WRLCK;
  tidemark_assert(fcntl(fd, F_OFD_SETLK, &part) == -1 && errno == EAGAIN); /* of the process, not of the descriptor */
}

/* The range in the middle is given up and taken again: both ends stay. */
static void split(int fd) {
  struct flock part = {.l_type = F_UNLCK, .l_whence = SEEK_SET, .l_start = 4, .l_len = 4};
  tidemark_assert(fcntl(fd, F_SETLK, &part) == 0);
  part.l_type = F_WRLCK;
  tidemark_assert(fcntl(fd, F_SETLKW, &part) == 0);
}

static void lock(int fd, int way) {
  struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  int failed = way < 2 ? flock(fd, LOCK_EX) : way == 2 ? fcntl(fd, F_SETLKW, &all) : lockf(fd, F_LOCK, 0);
  tidemark_assert(failed == 0);
  if (way >= 2) {
    check_own(fd);
    split(fd);
  }
}

int main(int argc, char **argv) {
  int way = argc > 1 ? atoi(argv[1]) : 0;
  int fd = open(way == 1 ? "/dev/null" : "/mnt/pmem0/lock", O_RDWR | O_CREAT, 0600);
  tidemark_assert(fd >= 0);
  lock(fd, way);
  unsigned long before = INSIDE;
  SHOW(before ? "%d after one that failed" : "%d in", tidemark_machine());
  INSIDE = 1;
  clflush(&INSIDE);
  yield_rounds(3);
  INSIDE = 0;
  clflush(&INSIDE);
  SHOW("%d out", tidemark_machine());
  close(fd);
}
