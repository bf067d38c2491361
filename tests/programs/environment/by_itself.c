// A program that fails without any failure: that is said, and failures are explored only if asked for.
// RUN: %tidemark_cc -g %s -o %t
// RUN: ! %tidemark check --json=%t.json %t fails 2> %t.txt
// RUN: %FileCheck --check-prefixes=BOTH,ALONE %s < %t.json
// RUN: %FileCheck --check-prefix=TEXT %s < %t.txt
// RUN: ! %tidemark check --isolate --json=%t.json %t fails
// RUN: %FileCheck --check-prefixes=BOTH,ALONE %s < %t.json
// RUN: ! %tidemark check --model=cxl --json=%t.json %t fails
// RUN: %FileCheck --check-prefixes=BOTH,ALONE %s < %t.json
// RUN: ! %tidemark check --model=cxl --isolate --json=%t.json %t fails
// RUN: %FileCheck --check-prefixes=BOTH,ALONE %s < %t.json
// RUN: ! %tidemark check --keep-going --json=%t.json %t fails
// RUN: %FileCheck --check-prefixes=BOTH,ALL %s < %t.json
// RUN: ! %tidemark check --model=cxl --keep-going --json=%t.json %t fails
// RUN: %FileCheck --check-prefixes=BOTH,ALL %s < %t.json
// RUN: ! %tidemark check --json=%t.json %t only-after
// RUN: %FileCheck --check-prefix=AFTER %s < %t.json
// BOTH: "complete": {{true|false}}
// ALONE: the program goes wrong even without a failure, so no failure was explored
// ALL: "incomplete_why": null
// BOTH: "kind": "assertion"
// BOTH: "message": "p[0] == 2 || strcmp(argv[1], \"fails\")"
// ALL: "message": "p[8] == 0"
// ALONE-NOT: "message": "p[8] == 0"
// AFTER: "complete": true
// AFTER: "message": "p[8] == 0"
// TEXT: error[assertion]: assertion failed: p[0] == 2 ||
// TEXT: the program goes wrong even without a failure, so no failure was explored: fix that first, or explore failures anyway with --keep-going
#include <string.h>
#include <tidemark.h>

int main(int argc, char **argv) {
  int *p = tidemark_region("r", 4096);
  (void)argc;
  if (tidemark_machine() == 0 && !tidemark_failures()) {
    p[8] = 1;
    __builtin_ia32_clflush(p + 8);
    p[0] = 1;
    __builtin_ia32_clflush(p);
    tidemark_assert(p[0] == 2 || strcmp(argv[1], "fails"));
  } else if (tidemark_failures()) {
    tidemark_assert(p[8] == 0);
  }
  return 0;
}
