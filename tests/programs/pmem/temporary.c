/* A file with a name of its own (mkstemp) that is renamed when it is complete; one that a failure left behind is in the
 * way of nobody.
 *
 * RUN: %tidemark_cc -g %s -o %t && %tidemark check --failures=2 %t
 * RUN: %tidemark_cc -g -DBUG %s -o %t && %tidemark check %t > %t.log 2>&1; test $? = 1
 * RUN: %FileCheck %s < %t.log
 * CHECK: error[assertion]: assertion failed: bytes == 5
 * CHECK: note: the power failed before this call was over, which renames a file
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tidemark.h>
#include <unistd.h>

#define CONFIG "/mnt/pmem0/config"

int main(void) {
  char name[] = CONFIG ".XXXXXX", other[] = CONFIG ".XXXXXX.tmp", wrong[] = CONFIG ".XX", text[8];
  int fd = open(CONFIG, O_RDONLY);
  if (fd >= 0) {
    long bytes = read(fd, text, sizeof text);
    assert(bytes == 5);
    return 0;
  }
  assert(mkstemp(wrong) == -1 && errno == EINVAL);
  int second = mkstemps(other, 4);
  assert(second >= 0 && strlen(other) == sizeof CONFIG + 10 && !strchr(other, 'X') &&
         !unlink(other));
  fd = mkstemp(name);
  assert(fd >= 0 && !strchr(name, 'X') && access(name, F_OK) == 0);
#ifdef BUG
  rename(name, CONFIG);
#endif
  assert(write(fd, "ready", 5) == 5);
#ifndef BUG
  rename(name, CONFIG);
#endif
  return 0;
}
