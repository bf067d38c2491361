// Functions of libc that read persistent memory for code that was not instrumented: the same as on
// ordinary memory, of any length, before and after their instructions have been replaced; and our own
// code, which uses the same functions, does not notice.
// RUN: %clang -O1 -g -fPIC -fno-builtin -c %S/Inputs/libc_reads.c -o %t.libc_reads.o
// RUN: %tidemark_cc -g -I %S/Inputs %s %t.libc_reads.o -o %t
// RUN: %tidemark check --json=%t.json %t
// RUN: %FileCheck %s < %t.json
// RUN: %tidemark check --isolate --json=%t.json %t
// RUN: %FileCheck %s < %t.json
// RUN: %tidemark check --model=cxl --json=%t.json %t
// RUN: %FileCheck --check-prefix=CXL %s < %t.json
// CHECK: "complete": true
// CHECK: "executions": 6,
// CHECK: "outcomes"
// CHECK: "0": 2
// CHECK: "1": 1
// CHECK: "2": 1
// CHECK: "findings": []
// CXL: "findings": []
#include "libc_reads.h"
#include <string.h>
#include <tidemark.h>

static void fill(char *p, size_t n) {
  for (size_t i = 0; i < n; i++)
    p[i] = (char)('a' + i * 7 % 26);
  p[n] = 0;
}

static void compare(char *pm) {
  static char ordinary[4096];
  for (int round = 0; round < 3; round++)
    for (size_t n = 0; n < 400; n += n < 70 ? 1 : 37)
      for (size_t at = 0; at < 64; at += 13) {
        fill(pm + 8192 - 100 + at, n);
        fill(ordinary + at, n);
        tidemark_assert(plain_string_sum(pm + 8192 - 100 + at, ordinary + at, n) ==
                        plain_string_sum(ordinary + at, ordinary + at, n));
      }
}

int main(void) {
  char *pm = tidemark_region("r", 1 << 16);
  if (tidemark_machine() == 1)
    return 0;
  if (!tidemark_failures()) {
    compare(pm);
    memcpy(pm, "first", 6);
    for (size_t i = 0; i < 1 << 16; i += 64)
      __builtin_ia32_clflush(pm + i);
    pm[0] = 1;
    pm[0] = 2;
    return 0;
  }
  if (pm[1] == 'i')
    tidemark_outcome("%d", pm[0] == 'f' ? 0 : pm[0]);
  return 0;
}
