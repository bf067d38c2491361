// Reading instructions of code that was not instrumented: the same registers and flags as on ordinary
// memory, the first time and when they have been replaced by jumps; just their bytes are asked for.
// RUN: %clang -O1 -g -fPIC -c %S/Inputs/readings.c -o %t.readings.o
// RUN: %tidemark_cc -g -I %S/Inputs %s %t.readings.o -o %t
// RUN: %tidemark check --json=%t.json %t
// RUN: %FileCheck %s < %t.json
// RUN: %tidemark check --isolate --json=%t.json %t
// RUN: %FileCheck %s < %t.json
// RUN: %tidemark check --model=cxl --json=%t.json %t machines
// RUN: %FileCheck --check-prefix=MACHINES %s < %t.json
// RUN: ! %tidemark check --json=%t.json %t over
// RUN: %FileCheck --check-prefix=OVER %s < %t.json
// RUN: ! %tidemark check --json=%t.json %t null
// RUN: %FileCheck --check-prefix=NULL %s < %t.json
// CHECK: "complete": true
// CHECK: "executions": 3,
// CHECK: "findings": []
// Many reads are not slow any more, and no library has to be named.
// CHECK-NOT: which are slow
// MACHINES: "complete": true
// MACHINES: "findings": []
// OVER: "kind": "illegal-access"
// OVER: "function": "reading_long_sum"
// NULL: "kind": "segfault"
// NULL: "function": "reading_long_sum"
#include "readings.h"
#include <string.h>
#include <tidemark.h>

#define ROUNDS 6
#define BYTES 8192

static void compare(const struct reading_test *t, const char *watched, const char *ordinary) {
  struct reading_result a, b;
  memset(&a, 0, sizeof a);
  memset(&b, 0, sizeof b);
  for (int i = 0; i < ROUNDS; i++) {
    t->run(watched, &a);
    t->run(ordinary, &b);
    if (a.rcx == (uintptr_t)watched && b.rcx == (uintptr_t)ordinary)
      a.rcx = b.rcx;
    if (memcmp(&a, &b, sizeof a) != 0)
      tidemark_assert_failed(t->text, __FILE__, __LINE__, __func__);
  }
}

int main(int argc, char **argv) {
  static char ordinary[4096 + 64] __attribute__((aligned(4096)));
  const char *what = argc > 1 ? argv[1] : "";
  char *pm = tidemark_region("r", BYTES), *near_edge = pm + 4096 - 16;
  if (tidemark_machine() == 1) {
    if (!strcmp(what, "machines"))
      for (int i = 0; i < ROUNDS; i++)
        tidemark_assert(reading_long_sum((uint8_t *)pm, 3) ==
                        (uint64_t)pm[0] * 961 + (uint64_t)pm[1] * 31 + (uint64_t)pm[2]);
    return 0;
  }
  if (tidemark_failures()) {
    /* pm[1] and pm[2], in the same word, are in doubt, too */
    reading_long_sum((uint8_t *)pm, 1);
    return 0;
  }
  for (size_t i = 0; i < sizeof ordinary; i++)
    ordinary[i] = (char)(i * 7 + 1);
  for (size_t i = 0; i < 64; i++)
    near_edge[i] = ordinary[i];
  for (size_t i = 0; i < BYTES; i += 64)
    __builtin_ia32_clflush(pm + i);
  for (const struct reading_test *t = readings; t->run; t++)
    compare(t, near_edge, ordinary);
  for (int i = 0; i < ROUNDS; i++)
    tidemark_assert(reading_neighbours((uint64_t *)near_edge) ==
                    reading_neighbours((uint64_t *)ordinary));
  for (int i = 0; i < 3; i++) {
    uint64_t sum = reading_long_sum((uint8_t *)ordinary, 64);
    for (int k = 0; k < 20; k++)
      tidemark_assert(reading_long_sum((uint8_t *)ordinary, 64) == sum);
    for (int k = 0; k < 20; k++)
      tidemark_assert(reading_long_sum((uint8_t *)near_edge, 64) == sum);
  }
  pm[2] = 2;
  pm[1] = 1;
  if (!strcmp(what, "over"))
    reading_long_sum((uint8_t *)pm + BYTES - 8, 9);
  if (!strcmp(what, "null"))
    reading_long_sum(NULL, 8);
  return 0;
}
