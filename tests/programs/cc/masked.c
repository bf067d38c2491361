/* Vector accesses under a mask, gathers and scatters become one access per element.
 *
 * RUN: clang-19 -D_GNU_SOURCE -fPIC -c -I%S/../../../src %S/Inputs/trace_hooks.c -o %t.trace.o
 * RUN: %tidemark_cc -O1 -mavx512f -mavx512vl -S -emit-llvm -I%S/Inputs %s -o - | %FileCheck --check-prefix=IR %s
 * RUN: grep -q avx512vl /proc/cpuinfo || exit 0; %tidemark_cc -O1 -mavx512f -mavx512vl -I%S/Inputs %s %t.trace.o -o %t && %t | %FileCheck %s
 *
 * IR-NOT: @llvm.masked
 */
#include "trace_hooks.h"
#include <immintrin.h>
#include <stdio.h>

static void __attribute__((noinline)) test(int *p) {
  _mm_mask_storeu_epi32(p, 5, _mm_set1_epi32(7));
  // CHECK: store4 [+0] = 0x7
  // CHECK-NEXT: store4 [+8] = 0x7
  __m128i got = _mm_maskz_loadu_epi32(3, p);
  // CHECK-NEXT: load4 [+0]
  // CHECK-NEXT: load4 [+4]
  printf("%d %d\n", _mm_extract_epi32(got, 0), _mm_extract_epi32(got, 2));
  // CHECK-NEXT: 7 0
}

int main(void) {
  int *p = window();
  trace_on();
  test(p);
  return 0;
}
