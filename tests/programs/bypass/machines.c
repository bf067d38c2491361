// Machines whose code was not instrumented.  Whether another machine fails is decided in the middle
// of an instruction, which goes on from there several times; and a machine that ends in one leaves
// nothing accessible behind.
// RUN: %clang -O1 -g -fPIC -c %S/Inputs/plain.c -o %t.plain.o
// RUN: %tidemark_cc -g %s %t.plain.o -o %t
// RUN: %tidemark check --model=cxl --machines=3 --failures=2 --json=%t.json %t
// RUN: %FileCheck %s < %t.json
// RUN: %tidemark check --model=cxl --machines=3 --failures=2 --isolate --json=%t.json %t
// RUN: %FileCheck %s < %t.json
// CHECK: "complete": true
// CHECK: "findings": []
// RUN: ! %tidemark check --model=cxl --keep-going --json=%t.json %t wild
// RUN: %FileCheck --check-prefix=WILD --implicit-check-not='"assertion"' %s < %t.json
// WILD: "complete": true
// WILD: "kind": "illegal-access"
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <tidemark.h>

uint64_t plain_load(const uint64_t *p);
void plain_store(uint64_t *p, uint64_t value);
void plain_vector(void *to, const void *from);

#define BYTES (3 * 4096)

static void other_machine(char *pm) {
  uint64_t both[2] = {7, 8}, back[2];
  char *edge = pm + 4096 - 8; /* 16 bytes from here lie on two pages and lines */
  sched_yield();
  for (int i = 0; i < 3; i++) {
    both[0] += 16;
    both[1] += 16;
    plain_vector(edge, both);
    tidemark_assert(memcmp(edge, both, 16) == 0);
    plain_vector(back, edge);
    tidemark_assert(memcmp(back, both, 16) == 0);
    sched_yield();
  }
}

static void dirty(char *pm) {
  for (int i = 0; i < 3; i++) {
    *(uint64_t *)(pm + 4096 - 16) = 1;
    *(uint64_t *)(pm + 4096 + 16) = 1;
    plain_store((uint64_t *)(pm + 4096 + 24), 1);
    sched_yield();
  }
}

/* The pages that the others have open in between; `first` is where that would show. */
static void check(char *pm, int first) {
  static const int at[] = {128, 4096 + 128, BYTES - 32};
  for (uint64_t i = 1; i < 4; i++) {
    for (int k = 0; k < 3; k++) {
      uint64_t *p = (uint64_t *)(pm + at[(first + k) % 3]);
      plain_store(p, i);
      tidemark_assert(*p == i);
    }
    sched_yield();
  }
}

int main(int argc, char **argv) {
  char *pm = tidemark_region("r", BYTES), from[16] = "";
  (void)argv;
  if (tidemark_machine() == 0 && argc > 1)
    plain_vector(pm + BYTES - 8, from); /* ends here */
  if (tidemark_machine() == 0)
    dirty(pm);
  else if (tidemark_machine() == 1 && argc == 1)
    other_machine(pm);
  else
    check(pm, argc > 1 ? 2 : 0);
  return 0;
}
