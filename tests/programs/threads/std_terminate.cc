// An exception that leaves a thread ends the program: a finding.
// RUN: %tidemark_cxx -std=c++17 %s -o %t
// RUN: %tidemark check %t > %t.out 2>&1; test $? = 1 && %FileCheck %s < %t.out
// CHECK: error[abort]
// CHECK-SAME: std::runtime_error
#include <stdexcept>
#include <thread>

int main() {
  std::thread t([] { throw std::runtime_error("nobody catches this"); });
  t.join();
  return 0;
}
