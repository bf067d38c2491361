// CHECK rc11: verified
// CHECK rc11 -DPUBLISH=memory_order_relaxed: violated
// CHECK rc11 -DLOOK=memory_order_relaxed: violated
// CHECK aarch64 -DPUBLISH=memory_order_relaxed: verified
// CHECK rc11 -DATOMIC: verified
// CHECK rc11 -DATOMIC -DPUBLISH=memory_order_relaxed: violated
// CHECK rc11 -DWRITTEN: verified
// CHECK rc11 -DWRITTEN -DPUBLISH=memory_order_relaxed: violated
// CHECK rc11 -DZEROED: verified
// CHECK rc11 -DZEROED -DPUBLISH=memory_order_relaxed: violated
// CHECK rc11 -DKNOWN -DPUBLISH=memory_order_relaxed: verified
// CHECK rc11 -DLATER: violated
// UNINITIALISED rc11 -DREAD: 44
// Whoever uses memory must know that it was allocated: plain and atomic accesses race with malloc.
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#ifndef PUBLISH
#define PUBLISH memory_order_release
#endif
#ifndef LOOK
#define LOOK memory_order_acquire
#endif
struct node { atomic_int a; int b; };
static _Atomic(struct node *) shared;
static atomic_int back;
#ifdef KNOWN // before there are threads
static struct node *node;
void init(void) { node = malloc(sizeof *node); node->b = 0; }
#endif
void thread0(void) {
#ifdef KNOWN
  struct node *n = node;
#elif defined ZEROED
  struct node *n = calloc(1, sizeof *n);
#else
  struct node *n = malloc(sizeof *n);
#endif
#ifdef ATOMIC // an atomic write is no race with the other's
  atomic_store_explicit(&n->a, 1, memory_order_relaxed);
#elif defined WRITTEN
  n->b = 1;
#elif defined READ
  if (n->b) atomic_store(&back, 2);
#endif
  atomic_store_explicit(&shared, n, PUBLISH);
#ifdef LATER // written in order, but only behind the other's access, which knew nothing
  while (!atomic_load(&back)) {}
  n->b = 1;
#endif
}
void thread1(void) {
#ifdef LATER
  struct node *n = atomic_load_explicit(&shared, memory_order_relaxed);
#else
  struct node *n = atomic_load_explicit(&shared, LOOK);
#endif
  if (n)
#ifdef ATOMIC
    atomic_store_explicit(&n->a, 2, memory_order_relaxed);
#else
    n->b = 2;
#endif
  atomic_store(&back, 1);
}
