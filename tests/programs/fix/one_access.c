// A copy that crosses a cache line survives in part: there is no place for a flush, and the diff is empty.
// RUN: rm -rf %t && mkdir -p %t && %tidemark_cc %s -o %t/prog
// RUN: ! %tidemark check --analyses=robustness --fix=%t/fix.diff %t/prog > %t/said.txt 2>&1 && test ! -s %t/fix.diff
// RUN: %FileCheck %s < %t/said.txt
// CHECK: no change for {{.*}}one_access.c:[[@LINE+13]]:{{.*}}: there is no place for a flush between the two stores
#include <tidemark.h>

struct pair {
  long a, b;
};

static struct pair full = {1, 1}, *from = &full;

int main(void) {
  char *base = tidemark_region("pool", 128);
  struct pair *p = (struct pair *)(base + 56);
  if (tidemark_failures() == 0)
    *p = *from;
  else
    tidemark_outcome("%ld %ld", p->a, p->b);
  return 0;
}
