/* A work-stealing queue in the manner of Cilk's: the owner puts and takes at one end, thieves take at the
 * other.  They meet only at the last item: the owner then takes the lock that thieves always take.
 *
 *      head              tail
 *       v                 v
 *     [ 1 ] [ 2 ] [ 3 ]
 *
 * Each moves its end first and then looks at the other end. */
#include "threads.h"

#ifndef ITEMS
#define ITEMS 2
#endif
#ifndef STEALS
#define STEALS 1
#endif
#define NONE 0

static _Atomic int head, tail;
static int items[ITEMS];
static pthread_mutex_t thieves = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int taken[ITEMS + 1];

static void put(int item) {
  int end = load_relaxed(&tail);
  items[end] = item;
  store(&tail, end + 1);
}

static bool move_tail(void) {
  int end = load_relaxed(&tail) - 1;
  store(&tail, end);
#ifndef BUG_TAKE_FENCE
  full_fence(); /* BUG_TAKE_FENCE: owner and thief may both take the last item */
#endif
  return load(&head) <= end;
}

static int take(void) {
  if (!move_tail()) {
    store(&tail, load_relaxed(&tail) + 1);
    pthread_mutex_lock(&thieves);
    bool found = move_tail();
    if (!found)
      store(&tail, load_relaxed(&tail) + 1);
    pthread_mutex_unlock(&thieves);
    if (!found)
      return NONE;
  }
  return items[load_relaxed(&tail)];
}

static int steal(void) {
  pthread_mutex_lock(&thieves);
  int first = load_relaxed(&head), item = NONE;
  store(&head, first + 1);
#ifndef BUG_STEAL_FENCE
  full_fence(); /* BUG_STEAL_FENCE: the same, seen from the thief */
#endif
  if (first + 1 <= load(&tail))
    item = items[first];
  else
    store(&head, first);
  pthread_mutex_unlock(&thieves);
  return item;
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
    for (int i = 1; i <= ITEMS; i++)
      use(take());
  } else {
    for (int i = 0; i < STEALS; i++)
      use(steal());
  }
  return NULL;
}

int main(void) {
  run_threads(2, work);
}
