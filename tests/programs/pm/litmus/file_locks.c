// Locks and copies of descriptors of files in persistent memory: between the program's own
// descriptors, per file, and gone after a failure.
// OUTCOMES: 0; 1
// COUNTS: 9 executions, 6 runs, 4 failure points
#include "../pm.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

static int check_locks(int a, int b) {
  int again = open("/mnt/pmem0/litmus", O_RDWR), copy = dup(a), high = fcntl(a, F_DUPFD, 30);
  struct flock part = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (again < 0 || copy < 0 || high < 30)
    return 1;
  if (flock(a, LOCK_EX | LOCK_NB) || flock(b, LOCK_EX | LOCK_NB) || flock(copy, LOCK_EX | LOCK_NB))
    return 2;
  if (!flock(again, LOCK_SH | LOCK_NB) || errno != EWOULDBLOCK)
    return 3;
  close(a);
  if (!flock(again, LOCK_SH | LOCK_NB)) /* the copies still have it */
    return 4;
  if (flock(high, LOCK_SH) || flock(again, LOCK_SH) || flock(high, LOCK_UN))
    return 5;
  if (fcntl(again, F_SETLK, &part) || lockf(copy, F_LOCK, 0))
    return 6;
  close(again);
  if (flock(copy, LOCK_EX | LOCK_NB) || lseek(copy, 5, SEEK_SET) != 5 || lseek(high, 0, SEEK_CUR) != 5)
    return 7;
  return 0;
}

int main(void) {
  int a = open("/mnt/pmem0/litmus", O_RDWR | O_CREAT, 0600);
  int b = open("/mnt/pmem0/other", O_RDWR | O_CREAT, 0600);
  if (a < 0 || b < 0 || ftruncate(a, 4096))
    return 10;
  int moved = dup2(a, 40), wrong = check_locks(a, b);
  if (wrong)
    return wrong;
  union pm_line *line = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, moved, 0);
  if (line == MAP_FAILED)
    return 11;
  if (tidemark_failures() == 0)
    X = 1;
  else
    tidemark_outcome("%d", (int)X);
  return 0;
}
