// Stores of code that was not instrumented: the same bytes, registers and flags as on ordinary memory, the first time and
// when they have been replaced by jumps; inside a word, across two and across pages.  What is in doubt and overwritten,
// or near, is not asked for: of the 15 bytes around the store the recovery reads one.
// RUN: %clang -O1 -g -fPIC -c %S/Inputs/stores.c -o %t.stores.o
// RUN: %tidemark_cc -g -I %S/Inputs %s %t.stores.o -o %t
// RUN: %tidemark check --json=%t.json %t
// RUN: %FileCheck %s < %t.json
// RUN: %tidemark check --isolate --json=%t.json %t
// RUN: %FileCheck %s < %t.json
// RUN: %tidemark check --model=cxl --json=%t.json %t machines
// RUN: %FileCheck --check-prefix=MACHINES %s < %t.json
// RUN: ! %tidemark check --json=%t.json %t over
// RUN: %FileCheck --check-prefix=OVER %s < %t.json
// CHECK: "complete": true
// CHECK: "executions": 12,
// CHECK: "0": 2
// CHECK: "9": 1
// CHECK: "findings": []
// MACHINES: "complete": true
// MACHINES: "findings": []
// OVER: "kind": "illegal-access"
// OVER: "function": "mov8"
#include "stores.h"
#include <immintrin.h>
#include <string.h>
#include <tidemark.h>

#define ROUNDS 6
#define BYTES 8192
#define ROOM 64

static void compare(const struct store_test *t, char *watched, char *ordinary) {
  struct store_result a, b;
  for (int i = 0; i < ROUNDS; i++) {
    memset(watched - ROOM, i, (size_t)2 * ROOM);
    memset(ordinary - ROOM, i, (size_t)2 * ROOM);
    t->run(watched, &a);
    t->run(ordinary, &b);
    if (memcmp(&a, &b, sizeof a) != 0 ||
        memcmp(watched - ROOM, ordinary - ROOM, (size_t)2 * ROOM) != 0)
      tidemark_assert_failed(t->text, __FILE__, __LINE__, __func__);
  }
}

static void all_of_them(char *pm) {
  static char ordinary[2 * ROOM];
  static const int places[] = {128, 131, 189, 4096 - 3};
  for (int i = 0; i < store_test_count; i++)
    for (int k = 0; k < 4; k++)
      compare(&store_tests[i], pm + places[k], ordinary + ROOM);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  char *pm = tidemark_region("r", BYTES);
  struct store_result r;
  if (tidemark_machine() == 1)
    return 0;
  if (!strcmp(what, "machines")) {
    all_of_them(pm);
    return 0;
  }
  if (!strcmp(what, "over")) {
    store_tests[0].run(pm + BYTES, &r);
    return 0;
  }
  if (tidemark_failures()) {
    store_tests[0].run(pm + 8, &r); /* 8 bytes, all of them in doubt */
    tidemark_outcome("%d", pm[7]);  /* so is this one */
    return 0;
  }
  char *copy = tidemark_region("all", BYTES);
  all_of_them(copy);
  for (int i = 0; i < BYTES; i += 64)
    _mm_clflush(copy + i);
  for (int i = 1; i < 10; i++) /* 18 stores on a line, none of them flushed */
    pm[7] = (char)i, pm[8] = (char)i;
}
