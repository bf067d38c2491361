/* Inline assembly as persistent-memory and low-lock code bases write it.
 *
 * RUN: clang-19 -D_GNU_SOURCE -fPIC -c -I%S/../../../src %S/Inputs/trace_hooks.c -o %t.trace.o
 * RUN: %tidemark_cc -Werror -O0 -I%S/Inputs %s %t.trace.o -o %t.O0 2>%t.err && %t.O0 | %FileCheck %s
 * RUN: %FileCheck --check-prefix=WARN %s < %t.err
 * RUN: %tidemark_cc -O2 -I%S/Inputs %s %t.trace.o -o %t.O2 2>/dev/null && %t.O2 | %FileCheck %s
 * RUN: %tidemark_cc -w -O2 -I%S/Inputs %s %t.trace.o -o %t.w 2>%t.w.err && test ! -s %t.w.err
 */
#include "trace_hooks.h"
#include <emmintrin.h>
#include <stdint.h>
#include <stdio.h>

static void __attribute__((noinline)) flushes(char *p) {
  asm volatile("clflush %0" : "+m"(*(volatile char *)p));
  // CHECK: clflush [+0] @ asm.c:[[@LINE-1]]:flushes
  asm volatile(".byte 0x66; clflush %0" : "+m"(*(volatile char *)(p + 64)));
  // CHECK-NEXT: clflushopt [+64] @ asm.c:[[@LINE-1]]:flushes
  asm volatile(".byte 0x66; xsaveopt %0" : "+m"(*(volatile char *)(p + 128)));
  // CHECK-NEXT: clwb [+128]
  asm volatile("clwb (%0)" ::"r"(p + 192) : "memory");
  // CHECK-NEXT: clwb [+192]
  asm volatile("clflushopt 64(%0)" ::"r"(p + 192) : "memory");
  // CHECK-NEXT: clflushopt [+256]
  asm volatile("clwb (%%rax)\n\tsfence" ::"a"((uintptr_t)p) : "memory");
  // CHECK-NEXT: clwb [+0]
  // CHECK-NEXT: sfence
  asm volatile(".intel_syntax noprefix\n clflush [rax]\n .att_syntax" ::"a"(p) : "memory");
  // CHECK-NEXT: clflush [+0]
  asm volatile("mfence" ::: "memory");
  // CHECK-NEXT: mfence
  asm volatile("SFENCE" ::: "memory");
  // CHECK-NEXT: sfence
  asm volatile("lfence\n\t" ::: "memory");
  // CHECK-NEXT: lfence
  asm volatile("lock; addl $0,0(%%rsp)" ::: "memory", "cc");
  // CHECK-NEXT: mfence
  asm volatile("lock orq $0x0, (%%rsp)" ::: "memory", "cc");
  // CHECK-NEXT: mfence
  asm volatile("rep; nop" ::: "memory");
  // CHECK-NEXT: pause
  asm volatile("pause\n" ::: "memory");
  // CHECK-NEXT: pause
  asm volatile("" ::: "memory");
  asm volatile("prefetchw %0" ::"m"(*p));
  asm volatile("nop");
  printf("flushes done\n");
  // CHECK-NEXT: flushes done
}

static void __attribute__((noinline)) stores(char *p) {
  asm volatile("movnti %1, %0" : "=m"(*(uint32_t *)p) : "r"(7));
  // CHECK: ntstore [+0] 4
  asm volatile("movntiq %1, (%0)" ::"r"(p + 8), "r"(8ul) : "memory");
  // CHECK-NEXT: ntstore [+8] 8
  asm volatile("movq %1, %0" : "=m"(*(uint64_t *)(p + 16)) : "r"(9ul) : "memory");
  // CHECK-NEXT: atomic_store8 [+16] = 0x9 order 3
  uint32_t value;
  asm volatile("movl %1, %0" : "=r"(value) : "m"(*(uint32_t *)p) : "memory");
  // CHECK-NEXT: atomic_load4 [+0] order 2
  printf("value %u\n", value);
  // CHECK-NEXT: value 7
}

/* Through registers that are named in the text: copies past the cache. */
static void __attribute__((noinline)) copies(char *p) {
  asm volatile("movq (%0), %%r8\n\tmovnti %%r8, (%1)" ::"r"(p + 16), "r"(p + 24) : "memory", "r8");
  // CHECK-NEXT: atomic_load8 [+16] order 2
  // CHECK-NEXT: ntstore [+24] 8
  asm volatile("movq (%0), %%mm0\nmovq 8(%0), %%mm1\nmovntq %%mm0, 16(%1)\nmovntq %%mm1, 24(%1)"
               ::"r"(p + 16), "r"(p + 16) : "memory");
  // CHECK-NEXT: atomic_load8 [+16] order 2
  // CHECK-NEXT: atomic_load8 [+24] order 2
  // CHECK-NEXT: ntstore [+32] 8
  // CHECK-NEXT: ntstore [+40] 8
  asm volatile("movdqu (%0), %%xmm1\nmovntdq %%xmm1, (%1)\n" ::"r"(p + 16), "r"(p + 48) : "memory", "xmm1");
  // CHECK-NEXT: load_n [+16] 16
  // CHECK-NEXT: ntstore [+48] 16
  __m128i vector = _mm_set1_epi8(9);
  asm volatile("movdqu %1, %0" : "=m"(*(__m128i_u *)(p + 32)) : "x"(vector));
  // CHECK-NEXT: store_n [+32] 16
  asm volatile("movups (%1), %0" : "=x"(vector) : "r"(p + 32) : "memory");
  // CHECK-NEXT: load_n [+32] 16
  asm volatile("movntdq %1, (%0)" ::"r"(p + 48), "x"(vector) : "memory");
  // CHECK-NEXT: ntstore [+48] 16
  printf("copied %u %u %u\n", p[24], p[32], p[48]);
  // CHECK: copied 9 9 9
}

/* As in CLHT, RECIPE and the Linux kernel. */
static inline uint64_t swap(volatile uint64_t *p, uint64_t v) {
  asm volatile("xchgq %0,%1" : "=r"(v) : "m"(*p), "0"(v) : "memory");
  return v;
}

static inline uint32_t fetch_and_add(volatile uint32_t *p, uint32_t v) {
  asm volatile("lock; xaddl %0, %1" : "+r"(v), "+m"(*p)::"memory", "cc");
  return v;
}

static inline uint64_t compare_and_swap(volatile uint64_t *p, uint64_t old, uint64_t v) {
  uint64_t seen;
  asm volatile("lock; cmpxchgq %1,%2" : "=a"(seen) : "r"(v), "m"(*p), "0"(old) : "memory");
  return seen;
}

static inline char cas_flag(volatile uint32_t *p, uint32_t old, uint32_t v) {
  char done;
  asm volatile("lock cmpxchg %3, %0; setz %1"
               : "+m"(*p), "=q"(done), "+a"(old)
               : "r"(v)
               : "memory", "cc");
  return done;
}

static inline int cas_condition(uint32_t *p, uint32_t old, uint32_t v) {
  int done;
  asm volatile("lock cmpxchgl %3, %1" : "=@ccz"(done), "+m"(*p), "+a"(old) : "r"(v) : "memory");
  return done;
}

static inline char cas_double(void *p, uint64_t expected[2], uint64_t low, uint64_t high) {
  char done;
  asm volatile("lock; cmpxchg16b %1; sete %0"
               : "=q"(done), "+m"(*(__int128 *)p), "+a"(expected[0]), "+d"(expected[1])
               : "b"(low), "c"(high)
               : "memory", "cc");
  return done;
}

static inline char dec_and_test(uint32_t *p) {
  char zero;
  asm volatile("lock; decl %0; sete %1" : "+m"(*p), "=qm"(zero)::"memory");
  return zero;
}

static void __attribute__((noinline)) atomics(char *p) {
  uint64_t *word = (uint64_t *)(p + 64);
  uint32_t *half = (uint32_t *)(p + 80);
  printf("%lu\n", (unsigned long)swap(word, 5));
  // CHECK: rmw8 xchg [+64] 0x5 order 5 @ asm.c:{{[0-9]+}}:swap
  // CHECK: {{^}}0
  printf("%u\n", fetch_and_add(half, 3));
  // CHECK: rmw4 add [+80] 0x3 order 5
  // CHECK: {{^}}0
  printf("%lu\n", (unsigned long)compare_and_swap(word, 5, 6));
  // CHECK: cas8 [+64] 0x5 -> 0x6 order 5
  // CHECK: {{^}}5
  printf("%d %d\n", cas_flag(half, 3, 4), cas_flag(half, 3, 5));
  // CHECK: cas4 [+80] 0x3 -> 0x4
  // CHECK: cas4 [+80] 0x3 -> 0x5
  // CHECK: 1 0
  printf("%d %d\n", cas_condition(half, 4, 1), cas_condition(half, 4, 2));
  // CHECK: cas4 [+80] 0x4 -> 0x1
  // CHECK: cas4 [+80] 0x4 -> 0x2
  // CHECK: 1 0
  uint64_t expected[2] = {0, 0};
  int done = cas_double(p + 96, expected, 1, 2);
  // CHECK: cas16 [+96] order 5
  printf("%d ", done);
  done = cas_double(p + 96, expected, 3, 4);
  printf("%d %lu %lu\n", done, (unsigned long)expected[0], (unsigned long)expected[1]);
  // CHECK: 1 {{.*}}cas16
  // CHECK: 0 1 2
  printf("%d\n", dec_and_test(half));
  // CHECK: rmw4 sub [+80] 0x1
  // CHECK: {{^}}1
  asm volatile("lock; incl %0" : "+m"(*half)::"cc");
  // CHECK: rmw4 add [+80] 0x1
  asm volatile("lock; orl %1, %0" : "+m"(*half) : "ir"(6) : "memory");
  // CHECK: rmw4 or [+80] 0x6
  asm volatile("lock; addq %1, %0" : "+m"(*word) : "er"(1ul));
  // CHECK: rmw8 add [+64] 0x1
}

static void __attribute__((noinline)) numbers(void) {
  uint32_t low, high, a = 0, b, c = 0, d;
  asm volatile("rdtsc" : "=a"(low), "=d"(high));
  // CHECK: rdtsc
  printf("%u %u\n", low, high);
  // CHECK: 7 5
  asm volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d)::"memory");
  unsigned long swapped = 1;
  asm("bswap %0" : "+r"(swapped));
  printf("%lx\n", swapped);
  // CHECK: 100000000000000
}

static inline char set_bit(void *p, long bit) {
  char was;
  asm volatile("lock; btsq %2, %1; setc %0" : "=q"(was), "+m"(*(long *)p) : "Ir"(bit) : "memory");
  return was;
}

static void __attribute__((noinline)) bits_and_strings(char *p) {
  printf("%d %d\n", set_bit(p + 320, 67), set_bit(p + 320, 67));
  // CHECK: rmw8 or [+328] 0x8 order 5
  // CHECK: rmw8 or [+328] 0x8 order 5
  // CHECK: 0 1
  int was;
  asm volatile("lock btrl $3, %1" : "=@ccc"(was), "+m"(*(int *)(p + 328))::"memory");
  // CHECK: rmw4 and [+328] 0xfffffff7 order 5
  char *to = p + 400, *from = p;
  unsigned long n = 5;
  asm volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(n)::"memory");
  // CHECK: memmove [+400] [+0] 5
  printf("%d %ld %ld %lu\n", was, (long)(to - p), (long)(from - p), n);
  // CHECK: 1 405 5 0
  n = 3;
  asm volatile("cld; rep stosb" : "+D"(to), "+c"(n) : "a"(9) : "memory");
  // CHECK: memset [+405] 9 3
}

/* Without a lock: loads and stores. */
static void __attribute__((noinline)) unlocked(char *p) {
  unsigned char set = 9;
  int negative = 9;
  asm volatile("incl %0" : "+m"(*(uint32_t *)(p + 416))::"cc");
  // CHECK: atomic_load4 [+416] order 0
  // CHECK-NEXT: atomic_store4 [+416] = 0x1 order 0
  asm volatile("subq %2, %0; setns %1" : "+m"(*(uint64_t *)(p + 424)), "=q"(set) : "r"(5ul) : "memory", "cc");
  // CHECK-NEXT: atomic_load8 [+424] order 2
  // CHECK-NEXT: atomic_store8 [+424] = 0xfffffffffffffffb order 3
  printf("%d\n", set);
  // CHECK-NEXT: {{^}}0
  asm volatile("orb %2, %0" : "+m"(*(uint8_t *)(p + 424)), "=@ccs"(negative) : "q"((char)1));
  // CHECK-NEXT: atomic_load1 [+424] order 0
  // CHECK-NEXT: atomic_store1 [+424] = 0xfb order 0
  printf("%d\n", negative);
  // CHECK-NEXT: {{^}}1
  asm volatile("lock btsl %2, %0; setnc %1" : "+m"(*(uint32_t *)(p + 416)), "=q"(set) : "r"(3) : "memory", "cc");
  // CHECK-NEXT: rmw4 {{or|and}} [+416]
  printf("%d\n", set);
  // CHECK-NEXT: {{^}}1
  asm volatile("lock btrl %2, %0" : "+m"(*(uint32_t *)(p + 416)), "=@ccae"(negative) : "r"(3) : "memory");
  // CHECK-NEXT: rmw4 {{or|and}} [+416]
  printf("%d\n", negative);
  // CHECK-NEXT: {{^}}0
}

static void __attribute__((noinline)) unknown(char *p) {
  asm volatile("push %0; pop %0" ::"r"(p) : "memory");
  // CHECK: unknown_asm "push $0; pop $0" @ asm.c:[[@LINE-1]]:unknown
  // WARN: asm.c:[[@LINE-2]]:{{[0-9]+}}: warning: inline assembly {{.*}}"push
  asm volatile("btsl $1, %0" : "+m"(*(uint32_t *)p)::"cc");
  // CHECK: unknown_asm
  // WARN-NEXT: asm.c:[[@LINE-2]]:{{[0-9]+}}: warning: {{.*}}"btsl
  asm goto("cmpl $0, %0; jne %l1" ::"m"(*p)::out);
  // CHECK: unknown_asm
  // WARN-NEXT: asm.c:[[@LINE-2]]:{{[0-9]+}}: warning: {{.*}}"cmpl
out:
  return;
}
// WARN-NOT: warning

int main(void) {
  char *p = window();
  trace_on();
  flushes(p);
  stores(p);
  copies(p);
  atomics(p);
  numbers();
  bits_and_strings(p);
  unlocked(p);
  unknown(p);
  return 0;
}
