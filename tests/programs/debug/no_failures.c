// Without failures nothing is known about stores, and the report does not claim that there were none.
// RUN: %tidemark_cc %s -o %t
// RUN: %tidemark check --failures=0 %t 2>&1 | %FileCheck --check-prefix=NONE %s
// RUN: %tidemark check --model=cxl --machines=1 %t 2>&1 | %FileCheck --check-prefix=NONE %s
// RUN: %tidemark check %t 2>&1 | %FileCheck --check-prefix=ONE %s
#include <tidemark.h>

int main(void) {
  long *p = tidemark_region("p", sizeof *p);
  *p = 1;
  return 0;
}

// NONE-NOT: stored nothing
// NONE: note: no failure was tried
// NONE-NOT: stored nothing
// ONE: no findings
// ONE-NOT: note
