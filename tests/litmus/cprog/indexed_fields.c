// Nodes in memory without a type, by an index that can be anything: their fields are still apart, so an
// atomic one is not accessed in other sizes.
// CHECK rc11: verified
// CHECK aarch64: verified
// CHECK rc11 -DFIELD=next: violated
// CHECK rc11 -DRELAXED: violated
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#ifndef FIELD
#define FIELD value
#endif
#ifdef RELAXED
#define RELEASE memory_order_relaxed
#else
#define RELEASE memory_order_release
#endif
struct node {
  unsigned value;
  atomic_ullong next;
};
static struct node *nodes;
static atomic_ullong head; // how often it has changed, and an index below
unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assume(int);
void init(void) { nodes = calloc(4, sizeof *nodes); }
static void push(void) {
  unsigned index = __VERIFIER_nondet_uint();
  __VERIFIER_assume(index > 0 && index < 4);
  nodes[index].value = index;
  unsigned long long was = atomic_load_explicit(&head, memory_order_relaxed);
  do
    atomic_store_explicit(&nodes[index].next, was & 0xffffffff, memory_order_relaxed);
  while (!atomic_compare_exchange_strong_explicit(&head, &was, ((was >> 32) + 1) << 32 | index, RELEASE,
                                                  memory_order_relaxed));
}
void thread0(void) { push(); }
void thread1(void) {
  unsigned index = atomic_load_explicit(&head, memory_order_acquire) & 0xffffffff;
  if (index)
    assert(nodes[index].FIELD == index);
}
