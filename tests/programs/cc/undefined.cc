// A variable without a value has one where nothing is optimised, as for clang, and numbers wrap around; and where the compiler takes it that nobody comes,
// whoever does stops there, and does not run into the next function.
// RUN: %tidemark_cxx -w -g %s -o %t && %tidemark check --model=sc %t
// RUN: %tidemark_cxx -w -g -O1 -DENDS %s -o %t && (%tidemark check --model=sc %t > %t.out 2>&1; test $? = 1)
// RUN: %FileCheck %s < %t.out
// CHECK: fatal signal: illegal instruction (SIGILL)
// CHECK: in {{.*}}, thread 1
// CHECK: 1 finding
#include <climits>
#include <cstdlib>
#include <thread>

static volatile int seen;

__attribute__((noinline)) static int value(int x) {
  seen = x;
#ifndef ENDS
  return x > 3;
#endif
}

__attribute__((noinline)) static bool grows(int x) {
  return x + 1 > x;
}

int main(int argc, char **) {
#ifndef ENDS
  int set;
  if (set || grows(INT_MAX))
    abort();
#endif
  std::thread t([&] {
    if (value(argc))
      std::exit(2);
  });
  t.join();
}
