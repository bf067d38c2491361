// Atomics of 16 bytes: a pointer and how often it has changed, in one word.
// CHECK sc: verified
// CHECK x86tso: verified
// CHECK aarch64: verified
// CHECK riscv: verified
// CHECK sc -DCOUNT: violated 36
// CHECK aarch64 -DTORN: violated 46
// CHECK x86tso -DPLAIN: violated 50
// CHECK sc -DNUMBERS: verified
// CHECK aarch64 -DNUMBERS: verified
// CHECK x86tso -DNUMBERS -DLOST: violated 68
// ERROR rc11: wide_atomics.c:29:11: an atomic access of 16 bytes: the model does not say
#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
struct node { struct node *next; };
struct top { struct node *first; uintptr_t count; };
static struct node nodes[2];
static union {
  _Atomic struct top both;
  struct top plain;
  struct { _Atomic uintptr_t first, count; } half;
} stack;
#ifndef NUMBERS
static void push(struct node *n) {
  struct top old, new;
  do {
    old = atomic_load_explicit(&stack.both, memory_order_acquire);
    n->next = old.first;
    new.first = n;
    new.count = old.count + 1;
  } while (!atomic_compare_exchange_strong_explicit(&stack.both, &old, new, memory_order_release, memory_order_relaxed));
#ifdef COUNT
  struct top now = atomic_load(&stack.both);
  assert(now.count == 1);
#endif
}
void thread0(void) { push(&nodes[0]); }
void thread1(void) { push(&nodes[1]); }
void thread2(void) {
  struct top now = atomic_load_explicit(&stack.both, memory_order_acquire);
#ifdef TORN
  now.first = (struct node *)stack.half.first;
  now.count = stack.half.count;
  assert((now.first != NULL) == (now.count != 0));
  return;
#elif defined PLAIN
  now = stack.plain;
  assert((now.first != NULL) == (now.count != 0));
  return;
#endif
  assert((now.first != NULL) == (now.count != 0) && now.count <= 2);
  assert(now.count != 2 || now.first->next != NULL);
}
#else
static _Alignas(16) __int128 number = UINT64_MAX;
void thread0(void) { __atomic_fetch_add(&number, 1, __ATOMIC_RELAXED); }
void thread1(void) { __atomic_fetch_sub(&number, 2, __ATOMIC_RELAXED); }
void thread2(void) {
  __int128 old = __atomic_exchange_n(&number, (__int128)7 << 64 | 9, __ATOMIC_SEQ_CST);
  assert(old == (__int128)1 << 64 || old == UINT64_MAX || old == UINT64_MAX - 1 || old == UINT64_MAX - 2);
}
void final(void) {
  __int128 last = __atomic_load_n(&number, __ATOMIC_RELAXED), base = (__int128)7 << 64 | 9;
  assert(last >= base - 2 && last <= base + 1);
#ifdef LOST
  assert(last == base - 1);
#endif
}
#endif
