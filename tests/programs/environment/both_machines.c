/* Both machines show the mistake in one execution: that is one execution, not two.
 *
 * RUN: %tidemark_cc %s -o %t
 * RUN: %tidemark check --model=cxl --failures=0 %t > %t.txt 2>&1; test $? = 1
 * RUN: %FileCheck %s < %t.txt
 *
 * CHECK: error[assertion]
 * CHECK: seen in: 1 execution
 * CHECK: executions     1 covered by 1 program run
 */
#include <tidemark.h>

int main(void) {
  volatile long *p = tidemark_region("p", 4096);
  p[tidemark_machine() * 8] = 1;
  tidemark_assert(p[512 - 8]);
  return 0;
}
