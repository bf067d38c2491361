// Whether a read happens may depend on all reads before it, however many, and whatever is written
// may be the first write of all.
// CHECK sc: violated 22
// CHECK rc11: violated 22
// CHECK aarch64 -DLATE: violated 30
// CHECK x86tso -DLATE: violated 30
// CHECK rc11 -DNEVER: verified
#include <assert.h>
#include <stdatomic.h>
static atomic_int a = 5, b = 7, turn;
static int get(atomic_int *x) { return atomic_load_explicit(x, memory_order_acquire); }
#define FOUR (get(&a) == 5 && get(&b) == 7 && get(&a) < get(&b))
void thread0(void) {
  assert(get(&a) == 5);
  assert(get(&b) == 7);
  assert(get(&a) < get(&b));
  if (!FOUR || !FOUR || get(&a) + get(&b) != 12)
    return;
#ifdef NEVER
  assert(get(&a) == 5);
#elif !defined LATE
  assert(get(&a) == 4);
#endif
}
#ifdef LATE
void thread1(void) {
  if (!FOUR || !FOUR || !FOUR || !FOUR || !FOUR)
    return;
  atomic_store_explicit(&turn, 1, memory_order_release);
  assert(get(&turn) != 1);
}
void thread2(void) {
  while (!get(&turn))
    ;
  atomic_store_explicit(&turn, 2, memory_order_release);
}
#endif
