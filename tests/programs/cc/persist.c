/* Flushes, fences, non-temporal stores and the rest of the processor's own instructions, written as
 * intrinsics.
 *
 * RUN: clang-19 -D_GNU_SOURCE -fPIC -c -I%S/../../../src %S/Inputs/trace_hooks.c -o %t.trace.o
 * RUN: %tidemark_cc -O0 -mclflushopt -mclwb -mavx -mrdrnd -mrdseed -I%S/Inputs %s %t.trace.o -o %t.O0
 * RUN: %t.O0 | %FileCheck %s
 * RUN: %tidemark_cc -O2 -mclflushopt -mclwb -mavx -mrdrnd -mrdseed -I%S/Inputs %s %t.trace.o -o %t.O2
 * RUN: %t.O2 | %FileCheck %s
 */
#include "trace_hooks.h"
#include <immintrin.h>
#include <stdio.h>
#include <x86intrin.h>

static void __attribute__((noinline)) flushes(char *p) {
  _mm_clflush(p);
  // CHECK: clflush [+0] @ persist.c:[[@LINE-1]]:flushes
  _mm_clflushopt(p + 64);
  // CHECK-NEXT: clflushopt [+64] @ persist.c:[[@LINE-1]]:flushes
  _mm_clwb(p + 128);
  // CHECK-NEXT: clwb [+128] @ persist.c:[[@LINE-1]]:flushes
  _mm_sfence();
  // CHECK-NEXT: sfence @ persist.c:[[@LINE-1]]:flushes
  _mm_mfence();
  // CHECK-NEXT: mfence
  _mm_lfence();
  // CHECK-NEXT: lfence
  _mm_pause();
  // CHECK-NEXT: pause
}

static void __attribute__((noinline)) streams(char *p) {
  _mm_stream_si32((int *)p, 1);
  // CHECK: ntstore [+0] 4 @ persist.c:[[@LINE-1]]:streams
  _mm_stream_si64((long long *)(p + 8), 2);
  // CHECK-NEXT: ntstore [+8] 8
  _mm_stream_si128((__m128i *)(p + 16), _mm_set1_epi32(3));
  // CHECK-NEXT: ntstore [+16] 16
  _mm256_stream_si256((__m256i *)(p + 32), _mm256_set1_epi32(4));
  // CHECK-NEXT: ntstore [+32] 32
  _mm_stream_pd((double *)(p + 64), _mm_set1_pd(1.0));
  // CHECK-NEXT: ntstore [+64] 16
  __builtin_nontemporal_store(5, (int *)(p + 80));
  // CHECK-NEXT: ntstore [+80] 4
  _mm_storeu_si128((__m128i *)(p + 97), _mm_set1_epi32(3));
  // CHECK-NEXT: store_n [+97] 16
}

static void __attribute__((noinline)) numbers(void) {
  unsigned processor;
  unsigned long long random = 0;
  printf("%llu\n", __rdtsc());
  // CHECK: rdtsc
  // CHECK-NEXT: 21474836487
  printf("%llu\n", __rdtscp(&processor));
  // CHECK-NEXT: rdtsc
  // CHECK-NEXT: 21474836487
  int worked = _rdrand64_step(&random);
  // CHECK-NEXT: random
  printf("%d %llu\n", worked, random);
  // CHECK-NEXT: 1 42
}

int main(void) {
  char *p = window();
  trace_on();
  flushes(p);
  streams(p);
  numbers();
  return 0;
}
