// What bench/examples.py measures: a worker that is asked to repeat the first execution runs it so
// often, each time from the start, and makes no others.
// RUN: %tidemark_cc -g %s -o %t
// RUN: printf '' > %t.results && truncate -s 1M %t.status
// RUN: %worker results-fd=3 status-fd=4 argc=1 repeat=7 output=1 -- %t 3<>%t.results 4<>%t.status > %t.out
// RUN: %FileCheck %s < %t.results
// RUN: test "$(sort -u %t.out)" = "0 0"
// RUN: test $(wc -l < %t.out) = 7
// CHECK: complete 0
// CHECK: executions 0
// CHECK: program-runs 7
#include <stdio.h>
#include <tidemark.h>
static int counter;
int main(void) {
  long *pm = tidemark_region("r", 64);
  printf("%d %ld\n", counter++, *pm);
  *pm = 1;
  return 0;
}
