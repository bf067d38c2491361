// std::regex asks std::ctype<char>::narrow, which keeps its answers for all threads without a lock: no data race of the
// program, and no steps.
// RUN: %tidemark_cxx -std=c++17 -g %s -o %t
// RUN: %t
// RUN: %tidemark check --model=sc %t 2>&1 | %FileCheck --check-prefixes=REGEX,CHECK %s
// REGEX: executions 12 covered
// Optimised, without the many templates of regular expressions.
// RUN: %tidemark_cxx -std=c++17 -O2 -g -DNARROW %s -o %t
// RUN: %tidemark check --model=sc %t 2>&1 | %FileCheck %s
// CHECK: no findings; the search is complete
#include <cassert>
#include <locale>
#ifndef NARROW
#include <regex>
#endif
#include <string>
#include <thread>

static void match(const std::string &text, const std::string &name) {
#ifdef NARROW
  assert(std::use_facet<std::ctype<char>>(std::locale::classic()).narrow(text.back(), 0) == 'x' && !name.empty());
#else
  std::smatch parts;
  assert(std::regex_match(text, parts, std::regex("([a-z]+)@x")) && parts[1] == name);
#endif
}

int main() {
  std::thread first(match, "joe@x", "joe"), second(match, "ann@x", "ann");
  first.join();
  second.join();
}
