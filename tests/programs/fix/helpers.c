// A function that does nothing but flush and fence is not called any more where that has no effect; one that does more is
// left alone, and so is a call whose arguments do something.
// RUN: rm -rf %t && mkdir -p %t && %tidemark_cc -g %s -o %t/prog
// RUN: ! %tidemark check --analyses=flushes --fix=%t/fix.diff --verify-fix %t/prog > %t/said.txt 2>&1
// RUN: %FileCheck %s < %t/said.txt
// RUN: %FileCheck --check-prefix=DIFF %s < %t/fix.diff
#include <tidemark.h>

struct words {
  _Alignas(64) long a;
  _Alignas(64) long b;
};

static long flushes;

static void clwb(void *p) {
  __asm__ volatile("clwb (%0)" : : "r"(p) : "memory");
}

static void fence(void) {
  __asm__ volatile("sfence" : : : "memory");
}

static void persist(void *p) {
  __asm__ volatile("clwb (%0)" : : "r"(p) : "memory"); // DIFF: -  __asm__ volatile("clwb
  __asm__ volatile("sfence" : : : "memory");
}

static void counted(void *p) {
  flushes++;
  __asm__ volatile("clwb (%0)" : : "r"(p) : "memory");
}

int main(void) {
  struct words *w = tidemark_region("words", sizeof *w);
  if (tidemark_failures()) {
    tidemark_outcome("%ld %ld", w->a, w->b);
    return 0;
  }
  struct words *q = w;
  w->a = 1;
  clwb(&w->a);
  fence();
  clwb(&w->a); // DIFF: -  clwb(&w->a);
  persist(&w->a); // DIFF-NEXT: -  persist(&w->a);
  fence(); // DIFF-NEXT: -  fence();
  clwb(q++);
  counted(&w->a);
  w->b = 1;
  counted(&w->b);
  persist(&w->b); // its fence is needed, its flush is not, so that one goes
  return 0;
}
// DIFF-NOT: {{^[-+]  }}
// CHECK-DAG: no change for {{.*}}helpers.c:47:{{.*}}: the statement is not understood
// CHECK-DAG: no change for {{.*}}helpers.c:48:{{.*}}: it is in a function, which may do more than that
// CHECK: --verify-fix: 4 of 4 findings are fixed, 0 still there, 0 new
