// A store that is lost with its machine can be made durable before something that relies on it; what a machine did
// last it could as well have not come to, and between the lines of a copy no flush fits.  And who only asks whether
// others have failed waits for ever.
// RUN: %tidemark_cc -g %s -o %t
// RUN: %tidemark check --model=cxl %t early > %t.txt 2>&1; test $? = 1 && %FileCheck --check-prefix=EARLY %s < %t.txt
// RUN: %tidemark check --model=cxl %t last > %t.txt 2>&1; test $? = 1 && %FileCheck --check-prefix=LAST %s < %t.txt
// RUN: %tidemark check --model=cxl %t copy > %t.txt 2>&1; test $? = 1 && %FileCheck --check-prefix=COPY %s < %t.txt
// RUN: %tidemark check --model=cxl %t ask > %t.txt 2>&1; test $? = 1 && %FileCheck --check-prefix=ASK %s < %t.txt
// EARLY: help: this store is lost with its machine: add a flush
// EARLY-NEXT: advice_cxl.c:[[#@LINE+27]]
// LAST-NOT: add a flush
// LAST: help: no flush or fence prevents this
// COPY-NOT: add a flush
// COPY: help: no flush or fence prevents this
// ASK: error[hang]: {{.*}} asked whether a machine has failed, and nobody stored or locked anything
#include <immintrin.h>
#include <stdint.h>
#include <string.h>
#include <tidemark.h>

struct shared {
  _Alignas(64) uint64_t count;
  _Alignas(64) uint64_t item;
};

static void copy(struct shared *s) {
  static const struct shared both = {.count = 1, .item = 7};
  memcpy(s, &both, sizeof both);
  _mm_clflush(&s->item);
  _mm_clflush(&s->count);
}

static void publish(struct shared *s, int item_first) {
  if (!item_first)
    s->count = 1;
  _mm_clflush(&s->count);
  s->item = 7;
  if (item_first)
    s->count = 1;
  _mm_clflush(&s->count);
  _mm_clflush(&s->item);
  _mm_sfence();
}

int main(int argc, char **argv) {
  struct shared *s = tidemark_region("shared", sizeof *s);
  const char *how = argc > 1 ? argv[1] : "";
  while (strcmp(how, "ask") == 0 && !tidemark_machine_failed(1 - tidemark_machine()))
    continue;
  if (tidemark_machine() == 0 && strcmp(how, "copy") == 0)
    copy(s);
  else if (tidemark_machine() == 0)
    publish(s, strcmp(how, "early") == 0);
  else if (strcmp(how, "copy") == 0 ? s->item : s->count)
    tidemark_assert(s->item == 7 && s->count);
}
