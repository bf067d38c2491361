// Instructions of code that was not instrumented, several times each: the first time an instruction
// is stepped, later a copy of it runs.
// RUN: %clang -O1 -g -fPIC -c %S/Inputs/plain.c -o %t.plain.o
// RUN: %tidemark_cc -g %s %t.plain.o -o %t
// RUN: %tidemark check --json=%t.json %t
// RUN: %FileCheck %s < %t.json
// RUN: %tidemark check --isolate --json=%t.json %t
// RUN: %FileCheck %s < %t.json
// RUN: ! %tidemark check --json=%t.json %t wild
// RUN: %FileCheck --check-prefix=WILD %s < %t.json
// CHECK: "complete": true
// CHECK: "findings": []
// The fault of a copy is told of the instruction itself.
// WILD: "kind": "illegal-access"
// WILD: "function": "plain_vector"
#include <stdint.h>
#include <string.h>
#include <tidemark.h>

uint64_t plain_load(const uint64_t *p);
uint8_t plain_load1(const uint8_t *p);
void plain_store(uint64_t *p, uint64_t value);
uint64_t plain_add(uint64_t *p, uint64_t value);
int plain_less(const uint64_t *p, uint64_t value);
uint64_t plain_exchange_add(uint64_t *p, uint64_t value);
uint64_t plain_push(const uint64_t *p);
uint64_t plain_call(uint64_t (*const *p)(void));
void plain_copy(void *to, const void *from, size_t bytes);
void plain_vector(void *to, const void *from);

static uint64_t seventeen(void) {
  return 17;
}

int main(int argc, char **argv) {
  char *pm = tidemark_region("r", 3 * 4096);
  uint64_t *word = (uint64_t *)pm;
  uint64_t (**function)(void) = (uint64_t(**)(void))(pm + 64);
  char *edge = pm + 4096 - 8; /* 16 bytes from here lie on two pages */
  char text[300], back[300];
  (void)argv;
  if (tidemark_failures())
    return 0;
  *function = seventeen;
  for (uint64_t i = 1; i < 6; i++) {
    plain_store(word, i << 8);
    tidemark_assert(plain_load(word) == i << 8 && plain_load1((uint8_t *)pm + 1) == i);
    tidemark_assert(*word == i << 8);
    tidemark_assert(plain_add(word, 3) == (i << 8) + 6 && *word == (i << 8) + 3);
    tidemark_assert(plain_less(word, i << 9) && !plain_less(word, i << 8));
    tidemark_assert(plain_exchange_add(word, 5) == (i << 8) + 3 && *word == (i << 8) + 8);
    tidemark_assert(plain_push(word) == (i << 8) + 8);
    tidemark_assert(plain_call(function) == 17);
    memset(text, (int)i, sizeof text);
    plain_copy(pm + 4096 - 100, text, sizeof text);
    plain_copy(back, pm + 4096 - 100, sizeof back);
    tidemark_assert(memcmp(text, back, sizeof text) == 0);
    memset(text, (int)(i + 100), 16);
    plain_vector(edge, text);
    tidemark_assert(memcmp(edge, text, 16) == 0);
    plain_vector(pm + 8192, edge); /* three pages in one go are two instructions */
    tidemark_assert(memcmp(pm + 8192, text, 16) == 0);
  }
  if (argc > 1)
    plain_vector(pm + 3 * 4096 - 8, text);
  return 0;
}
