// A stack without locks; three threads push and pop.
// CHECK sc --unroll=3: verified
// CHECK rc11 --unroll=3: verified
// CHECK rc11 --unroll=3 -DPUSH=memory_order_relaxed: violated
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#ifndef PUSH
#define PUSH memory_order_release
#endif
struct node { struct node *next; int value; };
static _Atomic(struct node *) top;
static void push(int v) {
  struct node *n = malloc(sizeof *n);
  n->value = v;
  n->next = atomic_load_explicit(&top, memory_order_relaxed);
  while (!atomic_compare_exchange_strong_explicit(&top, &n->next, n, PUSH, memory_order_relaxed)) {
  }
}
static int pop(void) {
  struct node *n = atomic_load_explicit(&top, memory_order_acquire);
  while (n && !atomic_compare_exchange_strong_explicit(&top, &n, n->next, memory_order_acquire, memory_order_acquire)) {
  }
  return n ? n->value : 0;
}
void thread0(void) { push(1); }
void thread1(void) { push(2); }
void thread2(void) { int v = pop(); assert(v == 0 || v == 1 || v == 2); }
