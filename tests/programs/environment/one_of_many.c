// A bug is told when an execution that shows it was run, also where answers to loads were left open and 2^30 executions are
// counted before it is known how often it happens.
// RUN: %tidemark_cc -g -O1 %s -o %t
// RUN: for o in "--jobs=1 --first" "--jobs=2 --memory=128" "--isolate --first" "--jobs=1 --timeout=4"; do TIDEMARK_TEST_SETTINGS=recall-after=0 %tidemark check $o %t > %t.out 2>&1; test $? = 1 || exit 1; %FileCheck %s < %t.out || exit 1; done
// CHECK: error[assertion]: assertion failed: lost != (1 << 8) - 1
// CHECK: replay: tidemark replay --token='f1.r0*31.r1*8'
// CHECK: 1 finding; the search is incomplete
// RUN: %tidemark replay --quiet --token='f1.r0*31.r1*8' %t; test $? = 1
#include <emmintrin.h>
#include <stdint.h>
#include <tidemark.h>

#define FORGOTTEN 8
#define KEPT 30

static void persist(volatile uint64_t *p) {
  _mm_clflush((void *)p);
}

int main(void) {
  volatile uint64_t *line = tidemark_region("lines", (FORGOTTEN + KEPT + 1) * 64);
  volatile uint64_t *end = line + (FORGOTTEN + KEPT) * 8;
  if (tidemark_failures()) {
    for (int i = 0; i < FORGOTTEN; i++)
      (void)line[i * 8];
    if (*end != 2)
      return 0;
    uint64_t lost = 0;
    for (int i = FORGOTTEN; i < FORGOTTEN + KEPT; i++)
      lost = lost * 2 + !line[i * 8];
    tidemark_assert(lost != (1 << 8) - 1);
    return 0;
  }
  for (int i = 0; i < FORGOTTEN; i++)
    line[i * 8] = 1;
  *end = 1;
  persist(end);
  for (int i = FORGOTTEN; i < FORGOTTEN + KEPT; i++)
    line[i * 8] = 1;
  *end = 2;
  persist(end);
  return 0;
}
