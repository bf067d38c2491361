// C++: std::atomic belongs to the line that uses it; functions have their qualified names;
// exceptions pass through instrumented code.
//
// RUN: clang-19 -D_GNU_SOURCE -fPIC -c -I%S/../../../src %S/Inputs/trace_hooks.c -o %t.trace.o
// RUN: %tidemark_cxx -std=c++17 -O0 -I%S/Inputs %s %t.trace.o -o %t.O0 && %t.O0 | %FileCheck %s
// RUN: %tidemark_cxx -std=c++17 -O2 -I%S/Inputs %s %t.trace.o -o %t.O2 && %t.O2 | %FileCheck %s
#include "trace_hooks.h"
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace shop {
template <class T> struct Box {
  std::atomic<T> value;
  T plain;

  void fill(T v) {
    plain = v;
    // CHECK: store8 [+8] = 0x5 @ cplusplus.cc:[[@LINE-1]]:shop::Box<long>::fill
    value.store(v, std::memory_order_release);
    // CHECK-NEXT: atomic_store8 [+0] = 0x5 order 3 @ cplusplus.cc:[[@LINE-1]]:shop::Box<long>::fill
  }
};
} // namespace shop

static void __attribute__((noinline)) pointers(std::atomic<int *> &p) {
  p.store(nullptr);
  // CHECK: atomic_store8 [+64] = 0 order 5 @ cplusplus.cc:[[@LINE-1]]:pointers
  p++;
  // CHECK-NEXT: rmw8 add [+64] 0x4 order 5 @ cplusplus.cc:[[@LINE-1]]:pointers
  int *expected = nullptr;
  bool done = p.compare_exchange_strong(expected, nullptr, std::memory_order_acq_rel);
  // CHECK-NEXT: cas8 [+64] 0 -> 0 order 4 @ cplusplus.cc:[[@LINE-1]]:pointers
  printf("%d %ld\n", done, (long)expected);
  // CHECK-NEXT: 0 4
  std::atomic_thread_fence(std::memory_order_release);
  // CHECK-NEXT: atomic_fence order 3 @ cplusplus.cc:[[@LINE-1]]:pointers
}

struct Guard {
  char *p;
  ~Guard() {
    *p = 7;
    // CHECK-NEXT: strlen [+129] @ cplusplus.cc:{{[0-9]+}}:thrower
    // CHECK-NEXT: store1 [+128] = 0x7 @ cplusplus.cc:[[@LINE-2]]:Guard::~Guard
  }
};

static void __attribute__((noinline)) thrower(char *p, size_t n) {
  Guard guard{p};
  if (strlen(p + 1) == n)
    throw std::runtime_error("thrown");
}

int main() {
  char *p = (char *)window();
  trace_on();
  auto *box = reinterpret_cast<shop::Box<long> *>(p);
  box->fill(5);
  pointers(*reinterpret_cast<std::atomic<int *> *>(p + 64));
  try {
    thrower(p + 128, 0);
  } catch (const std::exception &e) {
    printf("caught %s\n", e.what());
    // CHECK: caught thrown
  }
  auto lambda = [p] { p[256] = 1; };
  // CHECK: store1 [+256] = 0x1 @ cplusplus.cc:[[@LINE-1]]:{{.*}}operator()
  lambda();
  return 0;
}
