// A source that is gone cannot be changed, and --fix says so.
// RUN: cp %s %t.gone.c && %tidemark_cc -O1 -g %t.gone.c -o %t && rm %t.gone.c
// RUN: %tidemark check --fix=%t.diff %t > %t.txt 2>&1; test $? = 1
// RUN: %FileCheck %s < %t.txt
#include <immintrin.h>
#include <tidemark.h>

struct root {
  _Alignas(64) volatile long data;
  _Alignas(64) volatile long valid;
};

int main(void) {
  struct root *r = tidemark_region("root", sizeof *r);
  if (tidemark_failures()) {
    tidemark_assert(!r->valid || r->data);
    return 0;
  }
  r->data = 1;
  r->valid = 1;
  _mm_clflush((void *)&r->valid);
  return 0;
}

// CHECK: no change for {{.*}}gone.c:{{[0-9:]+}}: {{.*}}gone.c cannot be read
