// What goes wrong because a pool was half made comes after what is about the program's data, wherever it is.
// RUN: %tidemark_cc %s -o %t && (%tidemark check %t > %t.txt 2>&1; test $? = 1)
// RUN: %FileCheck %s < %t.txt
// CHECK: error[assertion]: assertion failed: pool[8] == pool[16]
// CHECK: error[assertion]: assertion failed: pool[0] == 2
// CHECK: help: the power failed while pmemobj_create made the pool
// CHECK: 2 findings
#include <immintrin.h>
#include <tidemark.h>

static void set(long *p, long value) {
  *p = value;
  _mm_clflush(p);
}

__attribute__((noinline)) void pmemobj_create(long *pool) {
  set(pool, 1);
  set(pool, 2);
}

int main(void) {
  long *pool = tidemark_region("pool", 4096);
  if (pool[0] == 0)
    pmemobj_create(pool);
  tidemark_assert(pool[0] == 2);
  tidemark_assert(pool[8] == pool[16]);
  set(&pool[8], 1);
  set(&pool[16], 1);
}
