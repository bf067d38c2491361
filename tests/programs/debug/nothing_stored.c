// A check in which nothing was stored checked nothing.
// RUN: %tidemark_cc -g %s -o %t
// RUN: %tidemark check --json=%t.json %t > %t.out 2>&1; test $? = 5
// RUN: %FileCheck --check-prefix=EMPTY %s < %t.out
// RUN: %FileCheck --check-prefix=JSON %s < %t.json
// RUN: %tidemark check --allow-empty %t 2>&1 | %FileCheck --check-prefix=ALLOWED %s
// RUN: %tidemark check --model=cxl %t > %t.out 2>&1; test $? = 5
// RUN: %FileCheck --check-prefix=CXL %s < %t.out
// RUN: %tidemark check %t 7 2>&1 | %FileCheck --check-prefix=STORED %s
// RUN: %tidemark check --eadr %t 7 2>&1 | %FileCheck --check-prefix=STORED %s
// RUN: %tidemark check --model=cxl %t 7 2>&1 | %FileCheck --check-prefix=STORED %s
// RUN: %tidemark check --model=cxl --gpf %t 7 2>&1 | %FileCheck --check-prefix=STORED %s
// Only the recovery stores:
// RUN: %tidemark check --failures=2 --recover="%t 7" %t 2>&1 | %FileCheck --check-prefix=STORED %s
// EMPTY: nothing was checked: the program stored nothing to persistent memory
// EMPTY-NEXT: note: {{.*}}--pm-path{{.*}}--allow-empty
// JSON: "complete": false
// ALLOWED: no findings; the search is complete
// ALLOWED-NEXT: note: the program stored nothing to persistent memory, so nothing was checked
// CXL: nothing was checked: the program stored nothing to CXL memory
// STORED: no findings; the search is complete
// STORED-NOT: stored nothing
#include <tidemark.h>

int main(int argc, char **argv) {
  (void)argv;
  int *x = tidemark_region("r", 64);
  if (argc > 1 && *x == 0)
    *x = 1;
  return 0;
}
