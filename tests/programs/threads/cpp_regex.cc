// std::regex asks std::ctype<char>::narrow, which keeps its answers for all threads without a lock: no data race of the
// program, and no steps.
// RUN: %tidemark_cxx -std=c++17 -g %s -o %t
// RUN: %t
// RUN: %tidemark check --model=sc %t 2>&1 | %FileCheck %s
// RUN: %tidemark_cxx -std=c++17 -O2 -g %s -o %t
// RUN: %tidemark check --model=sc %t 2>&1 | %FileCheck %s
// CHECK: executions 12 covered
// CHECK: no findings; the search is complete
#include <cassert>
#include <regex>
#include <string>
#include <thread>

static void match(const std::string &text, const std::string &name) {
  std::smatch parts;
  assert(std::regex_match(text, parts, std::regex("([a-z]+)@x")) && parts[1] == name);
}

int main() {
  std::thread first(match, "joe@x", "joe"), second(match, "ann@x", "ann");
  first.join();
  second.join();
}
