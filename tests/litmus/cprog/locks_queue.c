// Queue locks: MCS with nodes on the stacks, CLH with nodes that are handed on.
// CHECK sc: verified
// CHECK rc11: verified
// CHECK aarch64: verified
// CHECK x86tso: verified
// CHECK riscv: verified
// CHECK lkmm: verified
// CHECK rc11 -DCLH: verified
// CHECK aarch64 -DCLH: verified
// CHECK rc11 -DHANDOVER=memory_order_relaxed: violated
// CHECK aarch64 -DHANDOVER=memory_order_relaxed: violated
// CHECK rc11 -DCLH -DHANDOVER=memory_order_relaxed: violated
// CHECK aarch64 -DCLH -DTAIL=memory_order_relaxed: violated
// CHECK sc -DFORGET: verified
// HANG sc -DFORGET
// CHECK rc11 -DLINK=memory_order_relaxed: violated
// CHECK rc11 -DKEPT -DLINK=memory_order_relaxed: verified
// HANG rc11 -DKEPT -DLINK=memory_order_relaxed
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef HANDOVER
#define HANDOVER memory_order_release
#endif
#ifndef TAIL
#define TAIL memory_order_acq_rel
#endif
#ifndef LINK
#define LINK memory_order_release
#endif
struct node {
  _Atomic(struct node *) next;
  atomic_int wait;
};
static struct node nodes[4];
#ifdef CLH
static _Atomic(struct node *) tail = &nodes[3];
#else
static _Atomic(struct node *) tail;
#endif
static int count;
static void lock(struct node *n) {
  atomic_store_explicit(&n->wait, 1, memory_order_relaxed);
#ifdef CLH
  struct node *before = atomic_exchange_explicit(&tail, n, TAIL);
  while (atomic_load_explicit(&before->wait, memory_order_acquire)) {
  }
#else
  atomic_store_explicit(&n->next, NULL, memory_order_relaxed);
  struct node *before = atomic_exchange_explicit(&tail, n, TAIL);
  if (before) {
#ifndef FORGET
    atomic_store_explicit(&before->next, n, LINK);
#endif
    while (atomic_load_explicit(&n->wait, memory_order_acquire)) {
    }
  }
#endif
}
static void unlock(struct node *n) {
#ifdef CLH
  atomic_store_explicit(&n->wait, 0, HANDOVER);
#else
  struct node *next = atomic_load_explicit(&n->next, memory_order_acquire);
  if (!next) {
    struct node *self = n;
    if (atomic_compare_exchange_strong_explicit(&tail, &self, NULL, memory_order_release, memory_order_relaxed))
      return;
    while (!(next = atomic_load_explicit(&n->next, memory_order_acquire))) {
    }
  }
  atomic_store_explicit(&next->wait, 0, HANDOVER);
#endif
}
static void *run(void *arg) {
#if defined CLH || defined KEPT
  struct node *n = &nodes[(long)arg];
#else
  struct node on_stack, *n = &on_stack;
  (void)nodes;
#endif
  lock(n);
  count++;
  unlock(n);
  return arg;
}
int main(void) {
  pthread_t t[3];
  for (long i = 0; i < 3; i++)
    pthread_create(&t[i], NULL, run, (void *)i);
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], NULL);
  assert(count == 3);
  return 0;
}
