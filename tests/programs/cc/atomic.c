/* Atomics of every size, operation and order, through each of the four ways to write them.
 *
 * RUN: clang-19 -D_GNU_SOURCE -fPIC -c -I%S/../../../src %S/Inputs/trace_hooks.c -o %t.trace.o
 * RUN: %tidemark_cc -w -O0 -I%S/Inputs %s %t.trace.o -o %t.O0 && %t.O0 | %FileCheck %s
 * RUN: %tidemark_cc -w -O2 -I%S/Inputs %s %t.trace.o -o %t.O2 && %t.O2 | %FileCheck %s
 */
#include "trace_hooks.h"
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

static void __attribute__((noinline)) loads_and_stores(char *p) {
  atomic_store_explicit((_Atomic uint8_t *)p, 1, memory_order_relaxed);
  // CHECK: atomic_store1 [+0] = 0x1 order 0 @ atomic.c:[[@LINE-1]]:loads_and_stores
  atomic_store_explicit((_Atomic uint16_t *)(p + 2), 2, memory_order_release);
  // CHECK-NEXT: atomic_store2 [+2] = 0x2 order 3
  atomic_store((_Atomic uint32_t *)(p + 4), 3);
  // CHECK-NEXT: atomic_store4 [+4] = 0x3 order 5
  __atomic_store_n((uint64_t *)(p + 8), 4, __ATOMIC_RELEASE);
  // CHECK-NEXT: atomic_store8 [+8] = 0x4 order 3
  atomic_store((_Atomic(void *) *)(p + 16), (void *)5);
  // CHECK-NEXT: atomic_store8 [+16] = 0x5 order 5
  atomic_store((_Atomic double *)(p + 24), 1.0);
  // CHECK-NEXT: atomic_store8 [+24] = 0x3ff0000000000000 order 5
  atomic_store((_Atomic __int128 *)(p + 32), 6);
  // CHECK-NEXT: atomic_store16 [+32] order 5
  unsigned long sum = atomic_load_explicit((_Atomic uint8_t *)p, memory_order_relaxed);
  // CHECK-NEXT: atomic_load1 [+0] order 0
  sum += atomic_load_explicit((_Atomic uint16_t *)(p + 2), memory_order_acquire);
  // CHECK-NEXT: atomic_load2 [+2] order 2
  sum += atomic_load((_Atomic uint32_t *)(p + 4));
  // CHECK-NEXT: atomic_load4 [+4] order 5
  sum += __atomic_load_n((uint64_t *)(p + 8), __ATOMIC_ACQUIRE);
  // CHECK-NEXT: atomic_load8 [+8] order 2
  sum += (unsigned long)atomic_load((_Atomic __int128 *)(p + 32));
  // CHECK-NEXT: atomic_load16 [+32] order 5
  printf("sum %lu\n", sum);
  // CHECK-NEXT: sum 16
}

static void __attribute__((noinline)) modify(char *p) {
  _Atomic uint32_t *word = (_Atomic uint32_t *)(p + 64);
  unsigned long sum = atomic_fetch_add(word, 3);
  // CHECK: rmw4 add [+64] 0x3 order 5 @
  ++*word;
  // CHECK-NEXT: rmw4 add [+64] 0x1 order 5 unused @
  --*word;
  // CHECK-NEXT: rmw4 sub [+64] 0x1 order 5 unused @
  sum += atomic_fetch_sub_explicit(word, 1, memory_order_acq_rel);
  // CHECK-NEXT: rmw4 sub [+64] 0x1 order 4
  sum += atomic_fetch_or(word, 4);
  // CHECK-NEXT: rmw4 or [+64] 0x4
  sum += atomic_fetch_and(word, 6);
  // CHECK-NEXT: rmw4 and [+64] 0x6
  sum += atomic_fetch_xor(word, 1);
  // CHECK-NEXT: rmw4 xor [+64] 0x1
  sum += atomic_exchange(word, 9);
  // CHECK-NEXT: rmw4 xchg [+64] 0x9
  sum += __sync_fetch_and_add((uint64_t *)(p + 72), 1);
  // CHECK-NEXT: rmw8 add [+72] 0x1 order 5
  sum += __sync_fetch_and_nand((uint8_t *)(p + 80), 1);
  // CHECK-NEXT: rmw1 nand [+80] 0x1 order 5
  sum += (unsigned)__atomic_fetch_max((int *)(p + 84), -1, __ATOMIC_RELAXED);
  // CHECK-NEXT: rmw4 max [+84] 0xffffffff order 0
  sum += __atomic_fetch_min((unsigned short *)(p + 88), 3, __ATOMIC_SEQ_CST);
  // CHECK-NEXT: rmw2 umin [+88] 0x3 order 5
  (void)__sync_lock_test_and_set((char *)(p + 90), 1);
  // CHECK-NEXT: rmw1 xchg [+90] 0x1 order 5
  __sync_lock_release((char *)(p + 90));
  // CHECK-NEXT: atomic_store1 [+90] = 0 order 3
  printf("sum %lu\n", sum);
  // CHECK-NEXT: sum 24
  __atomic_fetch_add((float *)(p + 96), 1.5f, __ATOMIC_SEQ_CST);
  // CHECK-NEXT: atomic_load4 [+96] order 0
  // CHECK-NEXT: cas4 [+96] 0 -> 0x3fc00000 order 5
  __atomic_fetch_add((__int128 *)(p + 112), 5, __ATOMIC_SEQ_CST);
  // CHECK-NEXT: atomic_load16 [+112] order 0
  // CHECK-NEXT: cas16 [+112] order 5
  printf("%d %d\n", (int)*(float *)(p + 96), (int)*(long *)(p + 112));
  // CHECK: {{^}}1 5
}

static void __attribute__((noinline)) exchange(char *p) {
  uint32_t expected = 0;
  int done = atomic_compare_exchange_strong((_Atomic uint32_t *)(p + 128), &expected, 7);
  // CHECK: cas4 [+128] 0 -> 0x7 order 5
  printf("done %d\n", done);
  // CHECK-NEXT: done 1
  done = atomic_compare_exchange_weak_explicit((_Atomic uint32_t *)(p + 128), &expected, 8,
                                               memory_order_release, memory_order_acquire);
  // CHECK-NEXT: cas4 [+128] 0 -> 0x8 order 51
  printf("done %d expected %u\n", done, expected);
  // CHECK-NEXT: done 0 expected 7
  done = __sync_bool_compare_and_swap((uint64_t *)(p + 136), 0, 9);
  // CHECK-NEXT: cas8 [+136] 0 -> 0x9 order 5
  printf("done %d\n", done);
  // CHECK-NEXT: done 1
  printf("old %d\n", __sync_val_compare_and_swap((uint8_t *)(p + 144), 3, 4));
  // CHECK-NEXT: cas1 [+144] 0x3 -> 0x4
  // CHECK-NEXT: old 0
  __int128 wide = 1;
  done = atomic_compare_exchange_strong((_Atomic __int128 *)(p + 160), &wide, 2);
  // CHECK-NEXT: cas16 [+160] order 5
  printf("done %d wide %d\n", done, (int)wide);
  // CHECK-NEXT: done 0 wide 0
}

static void __attribute__((noinline)) fences(void) {
  atomic_thread_fence(memory_order_acquire);
  // CHECK: atomic_fence order 2
  atomic_thread_fence(memory_order_seq_cst);
  // CHECK-NEXT: atomic_fence order 5
  __sync_synchronize();
  // CHECK-NEXT: atomic_fence order 5
  atomic_signal_fence(memory_order_seq_cst);
  printf("fences done\n");
  // CHECK-NEXT: fences done
}

struct pair {
  void *pointer;
  long count;
};

/* Aligned to 8 only: the compiler calls libatomic with pointers to the values. */
static void __attribute__((noinline)) libatomic(_Atomic(struct pair) *p) {
  struct pair value = {0, 3}, got;
  atomic_store(p, value);
  // CHECK: atomic_store16 [+256] order 5
  got = atomic_load(p);
  // CHECK-NEXT: atomic_load16 [+256] order 5
  printf("count %ld\n", got.count);
  // CHECK-NEXT: count 3
  struct pair next = {0, 4};
  int done = atomic_compare_exchange_strong(p, &got, next);
  // CHECK-NEXT: cas16 [+256] order 5
  got = atomic_exchange(p, value);
  // CHECK: cas16 [+256] order 5
  printf("done %d count %ld\n", done, got.count);
  // CHECK: done 1 count 4
}

struct triple {
  long x, y, z;
};

/* No instruction is that large: copies under a lock. */
static void __attribute__((noinline)) large(_Atomic(struct triple) *p) {
  struct triple value = {1, 2, 3}, next = {4, 5, 6}, wrong = {1, 2, 4}, got;
  atomic_store(p, value);
  // CHECK: memcpy [+512]{{.*}} 24
  got = atomic_load(p);
  // CHECK: memcpy {{.*}} 24
  printf("z %ld\n", got.z);
  // CHECK: z 3
  int failed = !atomic_compare_exchange_strong(p, &wrong, next);
  printf("failed %d, expected %ld\n", failed, wrong.z);
  // CHECK: failed 1, expected 3
  int done = atomic_compare_exchange_strong(p, &wrong, next);
  got = atomic_exchange(p, value);
  printf("done %d, old %ld\n", done, got.z);
  // CHECK: done 1, old 6
}

int main(void) {
  char *p = window();
  trace_on();
  loads_and_stores(p);
  modify(p);
  exchange(p);
  fences();
  libatomic((_Atomic(struct pair) *)(p + 256));
  large((_Atomic(struct triple) *)(p + 512));
  return 0;
}
