// What is everybody's on the computer is not changed (its clock: tests/hostile/set_clock.c).  The argument is wrong, in case
// it is.
// RUN: %tidemark_cc %s -o %t && (%tidemark check --model=sc %t 2>&1; test $? = 3) | %FileCheck %s
// CHECK: sethostname is not supported in a checked program
#define _GNU_SOURCE
#include <unistd.h>

int main(void) {
  return sethostname("", 1000);
}
