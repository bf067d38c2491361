// Functions in namespaces have names in a stack, and so have those they were inlined into.
// RUN: %tidemark_cxx -O2 %s -o %t
// RUN: %tidemark check %t > %t.out 2>&1; test $? = 1
// RUN: %FileCheck %s < %t.out
#include <immintrin.h>
#include <tidemark.h>

namespace store {
namespace detail {
__attribute__((noinline)) void write(long *p) {
  *p = 1;
  _mm_clflush(p);
  _mm_sfence();
  asm volatile(""); // no tail call
}
} // namespace detail

static inline void inlined(long *p) {
  detail::write(p);
}

template <class T> __attribute__((noinline)) void save(T *p) {
  inlined(p);
  asm volatile("");
}

namespace {
__attribute__((noinline)) void verify(const long *p) {
  tidemark_assert(*p == 1);
  asm volatile("");
}
} // namespace
} // namespace store

int main() {
  long *p = static_cast<long *>(tidemark_region("p", sizeof *p));
  if (tidemark_failures())
    store::verify(p);
  else
    store::save(p);
}

// CHECK: in store::(anonymous namespace)::verify, thread 0
// CHECK: stack: namespaces.cc:{{.*}} store::(anonymous namespace)::verify
// CHECK-NEXT: namespaces.cc:{{.*}} main
// CHECK: the power failed before this `clflush`
// CHECK: stack: namespaces.cc:{{.*}} store::detail::write
// CHECK-NEXT: namespaces.cc:{{.*}} store::inlined
// CHECK-NEXT: namespaces.cc:{{.*}} store::save<long>
// CHECK-NEXT: namespaces.cc:{{.*}} main
