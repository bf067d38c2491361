/* Treiber's stack, of nodes that are used again.
 *
 * The head holds the number of the top node and a tag that changes with every change.  Without the tag, a
 * thread that was about to take the top node off may find it on top again, but with another successor
 * (the ABA problem). */
#include "threads.h"

#define NODES 2
#define NONE 0u

static _Atomic uint32_t next_of[NODES + 1];
static _Atomic uint64_t head;
static _Atomic int owners[NODES + 1]; /* of nodes that were taken off */

static uint64_t head_with(uint64_t old, uint32_t top) {
#ifdef BUG_NO_TAG
  (void)old;
  return top; /* BUG_NO_TAG */
#else
  return (old & ~(uint64_t)UINT32_MAX) + (UINT64_C(1) << 32) + top;
#endif
}

static void push(uint32_t node) {
  uint64_t old = load(&head);
  atomic_fetch_sub(&owners[node], 1);
  do
    atomic_store_explicit(&next_of[node], (uint32_t)old, memory_order_relaxed);
  while (!atomic_compare_exchange_strong(&head, &old, head_with(old, node)));
}

static uint32_t pop(void) {
  uint64_t old = load(&head);
  uint32_t top, next;
  do {
    top = (uint32_t)old;
    if (top == NONE)
      return NONE;
    next = load_relaxed(&next_of[top]);
  } while (!atomic_compare_exchange_strong(&head, &old, head_with(old, next)));
  int owners_before = atomic_fetch_add(&owners[top], 1);
  assert(owners_before == 0);
  return top;
}

static void *work(void *number) {
  if (number == 0) {
    pop();
    pop();
  } else {
    uint32_t first = pop();
    pop();
    if (first != NONE)
      push(first);
  }
  return NULL;
}

int main(void) {
  for (uint32_t node = 1; node <= NODES; node++) {
    owners[node] = 1;
    push(node);
  }
  run_threads(2, work);
}
