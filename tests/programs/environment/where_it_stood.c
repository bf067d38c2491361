// A machine that fails while another one runs: the report shows where both were; of poison, which store
// was lost.
// RUN: %tidemark_cc -g %s -o %t
// RUN: for o in --no-share --isolate; do %tidemark check --model=cxl $o --json=%t.json %t > %t.txt 2>&1; test $? = 1 || exit 1; %FileCheck %s < %t.txt || exit 1; %FileCheck --check-prefix=JSON %s < %t.json || exit 1; done
// RUN: %tidemark check --model=cxl --poison --json=%t.json %t poison > %t.txt 2>&1; test $? = 1
// RUN: %FileCheck --check-prefix=POISON %s < %t.txt
#include <sched.h>
#include <tidemark.h>

static int *p;

// CHECK: note: machine 0 failed before a load by another machine
// CHECK: where_it_stood.c:[[#@LINE+25]]
// CHECK: note: machine 0 was here
// CHECK: where_it_stood.c:[[#@LINE+11]]
// CHECK: stack: {{.*}} publish
// CHECK: main
// JSON: "machine_stack": [
// JSON: "line": [[#@LINE+7]],
// JSON: "function": "publish"
// POISON: error[poison]
// POISON: help: machine 0 lost this store with its cache
// POISON: where_it_stood.c:[[#@LINE+2]]
__attribute__((noinline)) static void publish(void) {
  p[0] = 1;
  sched_yield();
  p[1] = 2;
}

int main(int argc, char **argv) {
  p = tidemark_region("r", 4096);
  if (tidemark_machine() == 0) {
    publish();
    __builtin_ia32_clflush(p);
    return 0;
  }
  (void)argv;
  if (p[0] <= 1 && argc == 1)
    tidemark_assert(!tidemark_machine_failed(0));
  return 0;
}
