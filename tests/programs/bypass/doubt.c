// Instructions that read more than the place at which they fault, in doubt after a failure: two places
// on one page; 512 bytes.
// RUN: %clang -O1 -g -fPIC -c %S/Inputs/repeated.c -o %t.repeated.o
// RUN: %clang -O1 -g -fPIC -c %S/Inputs/plain.c -o %t.plain.o
// RUN: %tidemark_cc -g -I %S/Inputs %s %t.repeated.o %t.plain.o -o %t
// RUN: %tidemark check --json=%t.json %t
// RUN: %FileCheck %s < %t.json
// CHECK: "complete": true
// CHECK: "0 0": 1
// CHECK: "0 1": 1
// CHECK: "1 0": 1
// CHECK: "1 1": 1
#include "repeated.h"
#include <tidemark.h>

uint64_t plain_restore(const void *state);

#define XMM5 240 /* its place in the state */

int main(void) {
  char *pm = tidemark_region("r", 4096);
  if (tidemark_failures()) {
    int same = plain_same(pm, pm + 1024, 1);
    tidemark_outcome("%d %lu", same, plain_restore(pm + 2048));
  } else {
    pm[1024] = 1;
    pm[2048 + XMM5] = 1;
  }
  return 0;
}
