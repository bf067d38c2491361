// What a function does last is still done by that function, at every level of optimisation: it is on the stack.  Frames
// of templates have the names that places have, without the type of the result.
// RUN: %tidemark_cxx -std=c++17 -O2 %s -o %t
// RUN: %tidemark check %t > %t.out 2>&1; test $? = 1
// RUN: %FileCheck %s < %t.out
// CHECK: note: the power failed before this `clflush`
// CHECK: ^ in flush<long>
// CHECK-NEXT: stack: last_hook.cc:[[#@LINE+11]]:3 {{ *}}flush<long>
// CHECK-NEXT: last_hook.cc:[[#@LINE+16]]:3 {{ *}}publish
// CHECK-NEXT: last_hook.cc:{{[0-9:]+}} {{ *}}main
#include <immintrin.h>
#include <tidemark.h>

struct record {
  alignas(64) long value;
};

template <class T> __attribute__((noinline)) void flush(T *p) {
  _mm_clflush(p);
}

__attribute__((noinline)) static void publish(record *r) {
  r[0].value = 1;
  r[1].value = 1;
  flush(&r[1].value);
  _mm_sfence();
}

int main() {
  auto *r = static_cast<record *>(tidemark_region("r", 2 * sizeof(record)));
  if (tidemark_failures() == 0)
    publish(r);
  else if (r[1].value)
    tidemark_assert(r[0].value == 1);
}
