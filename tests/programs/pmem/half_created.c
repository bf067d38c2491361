/* A failure in a call that changes a directory is told in these words; the advice without a place is no likely fix.
 *
 * RUN: %tidemark_cc %s -o %t
 * RUN: %tidemark check --allow-empty --html=%t.html --sarif=%t.sarif %t > %t.log 2>&1; test $? = 1
 * RUN: %FileCheck %s < %t.log
 * CHECK: error[exit-status]: the program ended with exit status 1
 * CHECK: note: the power failed before this call was over, which changes the directory entry of /mnt/pmem0/data
 * CHECK: open("/mnt/pmem0/data"
 * CHECK: help: no flush or fence prevents this
 * RUN: grep -q 'What to look at' %t.html && grep -q 'What to look at: no flush' %t.sarif
 * RUN: test $(grep -c 'Likely fix' %t.html %t.sarif | grep -vc ':0') = 0
 */
#include <fcntl.h>
#include <unistd.h>

int main(void) {
  int data = access("/mnt/pmem0/data", F_OK), complete = access("/mnt/pmem0/complete", F_OK);
  if (data == 0)
    return complete == 0 ? 0 : 1;
  close(open("/mnt/pmem0/data", O_RDWR | O_CREAT, 0600));
  close(open("/mnt/pmem0/complete", O_RDWR | O_CREAT, 0600));
  return 0;
}
