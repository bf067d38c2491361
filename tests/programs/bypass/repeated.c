// Repeated string instructions of code that was not instrumented: they do to watched memory what they
// do to ordinary memory, whatever the size of the elements, the direction, the overlap and the pages.
// RUN: %clang -O1 -g -fPIC -c %S/Inputs/repeated.c -o %t.plain.o
// RUN: %tidemark_cc -g -I %S/Inputs %s %t.plain.o -o %t
// RUN: %tidemark check --json=%t.json %t
// RUN: %FileCheck %s < %t.json
// CHECK: "complete": true
// CHECK: "findings": []
//
// Upwards they are stored word by word, like memset and memcpy: 12 bytes are 4 and 8, so that three
// executions follow the first.
// RUN: for how in memset fill memcpy copy; do %tidemark check --json=%t.$how.json %t $how; done
// RUN: cat %t.memset.json %t.fill.json %t.memcpy.json %t.copy.json | %FileCheck --check-prefix=WORDS %s
// WORDS-COUNT-4: "executions": 4,
//
// Downwards each element is a store.
// RUN: %tidemark check --json=%t.json %t down
// RUN: %FileCheck --check-prefix=DOWN %s < %t.json
// DOWN: "executions": 14,
//
// What they do wrong is told of them.
// RUN: ! %tidemark check --json=%t.json %t beyond
// RUN: %FileCheck --check-prefix=BEYOND %s < %t.json
// BEYOND: "kind": "illegal-access"
// BEYOND: "message": "write of 8 bytes at 0x{{[0-9a-f]*}}4000, where no region is mapped"
// BEYOND: "function": "plain_stosq"
// RUN: ! %tidemark check --json=%t.json %t null
// RUN: %FileCheck --check-prefix=NULL %s < %t.json
// NULL: "kind": "segfault"
// NULL: "message": "segmentation fault: read of address 0x10 (null pointer)"
// NULL: "function": "plain_movsb"
#include "repeated.h"
#include <string.h>
#include <tidemark.h>

#define BYTES 16384
#define AT 8192

static unsigned char ordinary[BYTES];
static const unsigned char text[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

typedef struct left operation(void *to, const void *from, size_t count, uint64_t value, int down);

static void compare(operation *f, char *pm, ptrdiff_t to, ptrdiff_t from, size_t count, int down) {
  uint64_t value = 0x123456789abcdef0;
  for (int i = 0; i < BYTES; i++)
    ordinary[i] = (unsigned char)(i * 7 + i / 256);
  memcpy(pm, ordinary, BYTES);
  struct left a = f(pm + to, pm + from, count, value, down);
  struct left b = f(ordinary + to, ordinary + from, count, value, down);
  tidemark_assert(memcmp(pm, ordinary, BYTES) == 0);
  tidemark_assert(a.rcx == 0 && b.rcx == 0);
  tidemark_assert(a.rdi - (uintptr_t)pm == b.rdi - (uintptr_t)ordinary);
  tidemark_assert(a.rsi - (uintptr_t)pm == b.rsi - (uintptr_t)ordinary);
  /* between the two memories */
  f(pm + to, ordinary + from, count, value, down);
  f(ordinary + to, pm + from, count, value, down);
  struct left c = f(ordinary + AT, pm + from, 0, value, down);
  tidemark_assert(c.rcx == 0 && c.rdi == (uintptr_t)ordinary + AT);
}

static void compare_all(char *pm) {
#define LIST(name) plain_##name,
  operation *const all[] = {REPEATED(LIST)};
  const ptrdiff_t from[] = {AT - 4096 - 8, AT - 24, AT - 3, AT - 1, AT, AT + 2, AT + 100};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    for (size_t k = 0; k < sizeof from / sizeof *from; k++)
      for (int down = 0; down < 2; down++) {
        compare(all[i], pm, AT - 5, from[k], 1, down);
        compare(all[i], pm, AT - 5, from[k], 37, down);
      }
}

static int show(const char *pm) {
  char line[40] = "";
  for (int i = 0; i < 12; i++)
    line[i] = pm[4 + i] ? '1' : '0';
  tidemark_outcome("%s", line);
  return 0;
}

int main(int argc, char **argv) {
  char *pm = tidemark_region("r", BYTES);
  const char *how = argc > 1 ? argv[1] : "";
  if (tidemark_failures())
    return *how ? show(pm) : 0;
  if (!*how)
    compare_all(pm);
  if (!strcmp(how, "memset"))
    memset(pm + 4, 1, 12);
  if (!strcmp(how, "fill"))
    plain_stosb(pm + 4, NULL, 12, 1, 0);
  if (!strcmp(how, "memcpy"))
    memcpy(pm + 4, text, 12);
  if (!strcmp(how, "copy"))
    plain_movsb(pm + 4, text, 12, 0, 0);
  if (!strcmp(how, "down"))
    plain_stosb(pm + 15, NULL, 12, 1, 1);
  if (!strcmp(how, "beyond"))
    plain_stosq(pm + BYTES - 32, NULL, (size_t)-1, 1, 0);
  if (!strcmp(how, "null"))
    plain_movsb(pm, (void *)16, 32, 0, 0);
  return 0;
}
