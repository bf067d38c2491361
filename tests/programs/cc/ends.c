// A division by zero happens, also where nobody needs its result or the optimiser has another idea of it, and traps
// keep their lines: they are not made one with another trap, or with what follows a call that does not return.
// RUN: %tidemark_cc -g %s -o %t
// RUN: for i in 1 2 3; do %tidemark check --model=sc %t $i || true; done 2>&1 | %FileCheck --check-prefix=DIVISION %s
// RUN: for i in 4 5 6; do %tidemark check --model=sc %t $i || true; done 2>&1 | %FileCheck --check-prefix=TRAP %s
// RUN: %t 7
#include <stdlib.h>

static int divide(int how, int zero) {
  if (how == 1)
    // DIVISION: division by zero
    // DIVISION-NEXT: ends.c:[[@LINE+1]]:14
    return 1 / zero;
  if (how == 2) {
    // DIVISION: division by zero
    // DIVISION-NEXT: ends.c:[[@LINE+1]]:28
    unsigned long rest = 5 % (unsigned long)zero;
    (void)rest;
    return 0;
  }
  // DIVISION: division by zero
  // DIVISION-NEXT: ends.c:[[@LINE+1]]:15
  return zero / zero;
}

int main(int argc, char **argv) {
  volatile int how = argc > 1 ? atoi(argv[1]) : 7;
  switch (how) {
  case 4:
    // TRAP: illegal instruction
    // TRAP-NEXT: ends.c:[[@LINE+1]]:5
    __builtin_trap();
  case 5:
    // TRAP: illegal instruction
    // TRAP-NEXT: ends.c:[[@LINE+1]]:5
    __builtin_trap();
  case 6:
    // TRAP: abort
    // TRAP-NEXT: ends.c:[[@LINE+1]]:5
    abort();
  case 7:
    return divide(1, 9);
  default:
    return divide(how, 0);
  }
}
