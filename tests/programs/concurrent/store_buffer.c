/* Each says something and looks whether the other one has. */
#include "twin.h"

static _Atomic int said[2];
static int seen[2];

static void say(int me) {
  atomic_store_explicit(&said[me], 1, memory_order_release);
#ifdef FIXED
  atomic_thread_fence(memory_order_seq_cst);
#endif
  seen[me] = atomic_load_explicit(&said[1 - me], memory_order_acquire);
}

static void *one(void *unused) {
  say(0);
  return unused;
}

static void *two(void *unused) {
  say(1);
  return unused;
}

int main(void) {
  run_both(one, two);
  assert(seen[0] || seen[1]);
}
