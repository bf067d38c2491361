/* The work-stealing deque of Chase and Lev, of a fixed size: the owner takes at the bottom, thieves at the
 * top; whoever wants the last item has to move the top with a compare-and-swap. */
#include "threads.h"

#define ITEMS 2
#define NONE 0

static _Atomic int top, bottom;
static _Atomic int items[ITEMS];
static _Atomic int taken[ITEMS + 1];

static void put(int item) {
  int b = load_relaxed(&bottom);
  atomic_store_explicit(&items[b % ITEMS], item, memory_order_relaxed);
  store(&bottom, b + 1);
}

static int take(void) {
  int b = load_relaxed(&bottom) - 1;
  store(&bottom, b);
#ifndef BUG_NO_FENCE
  full_fence(); /* BUG_NO_FENCE: a thief may not see that this item is about to be taken */
#endif
  int t = load(&top), item = NONE;
  if (t < b)
    return load_relaxed(&items[b % ITEMS]);
  if (t == b && atomic_compare_exchange_strong(&top, &t, t + 1))
    item = load_relaxed(&items[b % ITEMS]);
  store(&bottom, b + 1);
  return item;
}

static int steal(void) {
  int t = load(&top);
  if (t >= load(&bottom))
    return NONE;
  int item = load_relaxed(&items[t % ITEMS]);
  return atomic_compare_exchange_strong(&top, &t, t + 1) ? item : NONE;
}

static void use(int item) {
  if (item != NONE) {
    int before = atomic_fetch_add_explicit(&taken[item], 1, memory_order_relaxed);
    assert(before == 0);
  }
}

static void *work(void *number) {
  if (number == 0) {
    for (int i = 1; i <= ITEMS; i++)
      put(i);
    use(take());
    use(take());
  } else {
    use(steal());
    use(steal());
  }
  return NULL;
}

int main(void) {
  run_threads(2, work);
}
