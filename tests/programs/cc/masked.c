/* Vector accesses under a mask, gathers and scatters become one access per element.
 *
 * RUN: clang-19 -D_GNU_SOURCE -fPIC -c -I%S/../../../src %S/Inputs/trace_hooks.c -o %t.trace.o
 * RUN: %tidemark_cc -O1 -mavx512f -mavx512vl -S -emit-llvm -I%S/Inputs %s -o - | %FileCheck --check-prefix=IR %s
 * RUN: grep -q avx512vl /proc/cpuinfo || exit 0; %tidemark_cc -O1 -mavx512f -mavx512vl -I%S/Inputs %s %t.trace.o -o %t && %t | %FileCheck %s
 *
 * IR-NOT: @llvm.masked
 * IR-NOT: @llvm.x86.avx{{2?}}.mask
 */
#include "trace_hooks.h"
#include <immintrin.h>
#include <limits.h>
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

/* The mask is the sign of numbers, and what is not loaded is zero. */
static void __attribute__((noinline)) test_avx(int *p) {
  _mm256_maskstore_epi32(p, _mm256_setr_epi32(0, -1, 1, 0, 0, 0, 0, INT_MIN), _mm256_set1_epi32(9));
  // CHECK-NEXT: store4 [+4] = 0x9
  // CHECK-NEXT: store4 [+28] = 0x9
  _mm_maskstore_pd((double *)p + 2, _mm_set_epi64x(-1, 0), _mm_set1_pd(0));
  // CHECK-NEXT: store8 [+24] = 0
  __m128 got = _mm_maskload_ps((float *)p, _mm_setr_epi32(1, -1, 0, -2));
  // CHECK-NEXT: load4 [+4]
  // CHECK-NEXT: load4 [+12]
  printf("%d %d\n", _mm_extract_epi32(_mm_castps_si128(got), 0),
         _mm_extract_epi32(_mm_castps_si128(got), 1));
  // CHECK-NEXT: 0 9
}

int main(void) {
  int *p = window();
  trace_on();
  test(p);
  test_avx(p);
  return 0;
}
