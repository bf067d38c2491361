// Programs reserve much and use little: what is not touched costs nothing.
// RUN: %tidemark_cc -g %s -o %t && %tidemark check %t > %t.txt 2>&1 || (cat %t.txt; false)
// RUN: %FileCheck %s < %t.txt
// CHECK: no findings; the search is complete
#include <assert.h>
#include <immintrin.h>
#include <stdlib.h>
#include <tidemark.h>

int main(void) {
  size_t bytes = (size_t)20 << 30;
  long *log = malloc(bytes), *x = tidemark_region("x", 64);
  assert(log);
  log[0] = 1;
  log[bytes / sizeof *log - 1] = 2;
  *x = log[0] + log[bytes / sizeof *log - 1];
  _mm_clflush(x);
  free(log);
  void *volatile again = malloc(bytes), *volatile more = malloc(bytes);
  assert(again && !more);
}
