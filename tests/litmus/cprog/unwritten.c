// Memory that nobody has written holds any value, also an address.
// CHECK aarch64: violated 33
// CHECK lkmm -DORDER=memory_order_release: verified
// CHECK aarch64 -DORDER=memory_order_release: verified
// CHECK rc11 -DORDER=memory_order_release: verified
// CHECK aarch64 -DADDRESS: violated 35
// CHECK aarch64 -DADDRESS -DORDER=memory_order_release: verified
// CHECK aarch64 -DNEVER -DORDER=memory_order_release: violated 37
// CHECK sc -DNEVER: violated 37
// CHECK sc -DBEFORE: violated 45
// UNINITIALISED sc -DWARNS: 39
// CHECK sc -DNONDET: verified
// UNINITIALISED sc -DNONDET: none
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#ifndef ORDER
#define ORDER memory_order_relaxed
#endif
int tidemark_nondet_int(void);
static struct node { int value, other; struct node *next; } first, *early;
static _Atomic(struct node *) list;
void thread0(void) {
  struct node *n = malloc(sizeof *n);
  n->value = 7;
  n->next = 0;
  atomic_store_explicit(&list, n, ORDER);
}
void thread1(void) {
  struct node *n = atomic_load_explicit(&list, memory_order_acquire);
  if (n) {
#if !defined NEVER && !defined WARNS && !defined ADDRESS
    assert(n->value != 12345);
#elif defined ADDRESS
    assert(n->next != &first);
#elif defined NEVER
    assert(n->other != 12345);
#else
    assert(n->other || 1);
#endif
  }
}
#ifdef BEFORE
void init(void) { early = malloc(sizeof *early); }
void final(void) { assert(early->value != 4); }
#elif defined NONDET
void init(void) { first.value = tidemark_nondet_int(); }
void thread2(void) { first.other = first.value; }
#endif
