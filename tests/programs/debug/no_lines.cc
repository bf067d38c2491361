// Without debug information places have no lines, but functions, with readable names; and the report says why.
// RUN: rm -rf %t && mkdir -p %t/there && cd %t
// RUN: %tidemark_cxx -g0 -O1 %s -o plain
// RUN: %tidemark check ./plain > plain.txt 2>&1; test $? = 1 && %FileCheck %s < plain.txt
// CHECK: error[segfault]
// CHECK: note: the power failed before this `clflush`
// CHECK-NEXT: --> an unknown line
// CHECK-NEXT: = in store::publish<long>
// CHECK: lost {{.*}} stored at an unknown line in store::publish<long>, thread 0
// CHECK: note: places without a line are in code that has no debug information (-g0, an assembly file)
//
// A file of the same name where the check is made is not the one that was compiled elsewhere.
// RUN: cp %s there/prog.cc && (cd there && %tidemark_cxx -O1 prog.cc -o ../moved) && echo 'something else' > prog.cc
// RUN: %tidemark check ./moved > moved.txt 2>&1; test $? = 1 && %FileCheck --check-prefix=MOVED %s < moved.txt
// MOVED: --> there/prog.cc:
// MOVED-NOT: {{-->}} prog.cc
// MOVED: 1 finding
#include <immintrin.h>
#include <tidemark.h>

namespace store {
template <class T> __attribute__((noinline)) void publish(T *p) {
  p[0] = 1;
  p[8] = 1;
  _mm_clflush(p + 8);
}
} // namespace store

int main() {
  auto *p = static_cast<long *>(tidemark_region("r", 128));
  if (tidemark_failures() == 0)
    store::publish(p);
  else if (p[8] && !p[0])
    *static_cast<volatile int *>(nullptr) = 1;
}
