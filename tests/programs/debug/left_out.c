// Assertions that the compiler was told to leave out check nothing: a clean report says so.  Not of sources without
// any, or that take them back.
// RUN: mkdir -p %t && cp %s %t/left_out.c && cd %t && %tidemark_cc -O2 -DNDEBUG left_out.c -o a
// RUN: %tidemark check --json=a.json ./a 2>&1 | %FileCheck %s && %FileCheck %s < a.json
// CHECK: left_out.c was compiled with -DNDEBUG: assert() does nothing there
// RUN: cd %t && %tidemark_cc -D NDEBUG -UNDEBUG left_out.c -o b && (%tidemark check ./b; test $? = 1)
// RUN: cd %t && (printf "#und%%s NDEBUG\n" ef; cat %s) > kept.c && sed 's/ assert(/ tidemark_assert(/' %s > other.c
// RUN: cd %t && for i in kept other; do %tidemark_cc -DNDEBUG $i.c -o c && (%tidemark check ./c > c.txt 2>&1; test $? = 1) && \
// RUN:   (! grep DNDEBUG c.txt) || exit 1; done
#include <assert.h>
#include <immintrin.h>
#include <tidemark.h>

int main(void) {
  long *p = tidemark_region("p", sizeof *p);
  assert(p[0] == 0);
  p[0] = 1;
  _mm_clflush(p);
}
