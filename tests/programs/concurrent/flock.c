/* Two descriptors of one file exclude each other by flock, also between threads of one process, and one that waits has its
 * turn when the other one is closed.  Locks of ranges belong to the process: threads do not exclude each other by them. */
#include "twin.h"
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

static const char path[] = "/dev/null";
static int inside;

static void *enters(void *unused) {
  int fd = open(path, O_RDWR);
#ifdef FIXED
  assert(flock(fd, LOCK_EX) == 0);
#else
  assert(lockf(fd, F_LOCK, 0) == 0);
#endif
  assert(inside++ == 0);
  inside--;
  close(fd);
  return unused;
}

int main(void) {
  int fd = open(path, O_RDWR);
  run_both(enters, enters);
  int other = open(path, O_RDWR);
  assert(flock(fd, LOCK_EX) == 0 && flock(other, LOCK_SH | LOCK_NB) != 0 && flock(fd, LOCK_SH) == 0);
  assert(flock(other, LOCK_SH | LOCK_NB) == 0 && flock(fd, LOCK_EX | LOCK_NB) != 0);
  assert(flock(other, LOCK_EX | LOCK_NB) == 0); /* who could not have more has lost what he had */
}
