/* --late checks the program as compiled: what the optimiser removed is not seen.
 *
 * RUN: clang-19 -D_GNU_SOURCE -fPIC -c -I%S/../../../src %S/Inputs/trace_hooks.c -o %t.trace.o
 * RUN: %tidemark_cc -O2 -I%S/Inputs %s %t.trace.o -o %t.early
 * RUN: %t.early | %FileCheck --check-prefix=EARLY %s
 * RUN: %tidemark_cc -O2 --late -I%S/Inputs %s %t.trace.o -o %t.late
 * RUN: %t.late | %FileCheck --check-prefix=LATE %s
 */
#include "trace_hooks.h"

static void __attribute__((noinline)) twice(int *p) {
  *p = 1;
  // EARLY: store4 [+0] = 0x1 @ late.c:[[@LINE-1]]:twice
  // LATE-NOT: = 0x1
  *p = 2;
  // EARLY: store4 [+0] = 0x2
  // LATE: store4 [+0] = 0x2 @ late.c:[[@LINE-2]]:twice
}

int main(void) {
  int *p = window();
  trace_on();
  twice(p);
  return 0;
}
