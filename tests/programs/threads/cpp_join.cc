// Turns in libstdc++'s own code, which keeps no frame pointers: the report names the line that has called it.
// RUN: %tidemark_cxx -std=c++17 -g %s -o %t
// RUN: %tidemark check --model=sc %t > %t.txt 2>&1; test $? = 1
// RUN: %FileCheck %s < %t.txt
// RUN: %tidemark check --model=sc %t race > %t.txt 2>&1; test $? = 1
// RUN: %FileCheck --check-prefix=RACE %s < %t.txt
#include <cassert>
#include <string>
#include <thread>

static int value;

static void wait_for(std::thread &t) {
  t.join();
}

int main(int argc, char **) {
  std::thread first([] { value = 1; });
  if (argc > 1)
    value = 2;
  wait_for(first);
  assert(value == 3);
}

// CHECK: error[assertion]
// CHECK: thread 0 goes on with the join at cpp_join.cc:{{14}}:5 in wait_for
// RACE: error[data-race]
// RACE: thread 0 goes on with the join at cpp_join.cc:{{14}}:5 in wait_for
