/* What machines store is not nothing although no failure could be noticed.
 *
 * RUN: %tidemark_cc %s -o %t && %tidemark check --model=cxl %t > %t.txt 2>&1 || (cat %t.txt; false)
 * RUN: %FileCheck %s < %t.txt
 * RUN: %tidemark_cc -DNOTHING %s -o %t && %tidemark check --model=cxl %t > %t.txt 2>&1; test $? = 5
 * RUN: %FileCheck --check-prefix=NOTHING %s < %t.txt
 *
 * CHECK: no findings; the search is complete
 * NOTHING: nothing was checked
 */
#include <tidemark.h>

int main(void) {
  volatile long *p = tidemark_region("p", 4096);
#ifndef NOTHING
  p[tidemark_machine() * 8] = 1;
#endif
  return (int)p[24];
}
