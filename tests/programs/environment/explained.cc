// What the C++ library prints about an exception that nobody catches is in the message already.
// RUN: %tidemark_cxx -g %s -o %t
// RUN: ! %tidemark check --json=%t.json %t
// RUN: %FileCheck %s < %t.json
// CHECK: "message": "uncaught exception of type std::runtime_error: lost"
// CHECK: "said": null
#include <stdexcept>
#include <tidemark.h>

int main() {
  int *p = static_cast<int *>(tidemark_region("r", 64));
  if (tidemark_failures() && *p == 0)
    throw std::runtime_error("lost");
  *p = 1;
  return 0;
}
