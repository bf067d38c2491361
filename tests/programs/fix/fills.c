// --fix where the C library stores: what a call has filled is flushed, as far as its arguments or the string say.
// RUN: rm -rf %t && mkdir %t && %tidemark_cc -g -O2 -mclwb %s -o %t/prog
// RUN: ! %tidemark check --quiet --analyses=robustness --fix=%t/fix.diff --verify-fix %t/prog 2> %t/said.txt
// RUN: %FileCheck %s < %t/said.txt
// RUN: %FileCheck --check-prefix=DIFF %s < %t/fix.diff
// CHECK-NOT: no change
// CHECK: --verify-fix: 5 of 5 findings are fixed, 0 still there, 0 new; findings left: 0
#include <immintrin.h>
#include <stdio.h>
#include <string.h>
#include <tidemark.h>

struct texts {
  _Alignas(64) char a[128], b[64], c[64], d[64], e[64];
  _Alignas(64) long done;
};

int main(void) {
  struct texts *t = tidemark_region("texts", sizeof *t);
  if (!tidemark_failures()) {
    snprintf(t->a, sizeof t->a, "%90d", 42);
    // DIFF: +         line_ < (unsigned long)(t->a) + (sizeof t->a); line_ += 64)
    sprintf(t->b, "%d", 7);
    // DIFF: +         line_ < (unsigned long)(t->b) + (__builtin_strlen(t->b) + 1); line_ += 64)
    strncat(t->c, "text", 3);
    // DIFF: +         line_ < (unsigned long)(t->c) + (__builtin_strlen(t->c) + 1); line_ += 64)
    strncpy(t->d, "text", 20);
    // DIFF: +         line_ < (unsigned long)(t->d) + (20); line_ += 64)
    stpcpy(t->e, "text");
    // DIFF: +         line_ < (unsigned long)(t->e) + (__builtin_strlen(t->e) + 1); line_ += 64)
    t->done = 1;
    return 0;
  }
  if (!t->done)
    return 0;
  const char *all[] = {t->a + 80, t->b, t->c, t->d, t->e};
  for (int i = 0; i < 5; i++)
    if (!*all[i])
      return 0;
  tidemark_outcome("all");
  return 0;
}
