// CHECK sc --unroll=3: verified
// CHECK sc --unroll=0: bounded
// CHECK sc -DCOUNTED --unroll=1: verified
// CHECK sc -DWRONG --unroll=3: violated 28
// CHECK sc -DNESTED --unroll=3: verified
// CHECK sc -DRECURSION --unroll=4: verified
// CHECK sc -DRECURSION --unroll=1: bounded
// CHECK rc11 --unroll=3: verified
// CHECK rc11 -DASSERTED --unroll=3: verified
// CHECK rc11 -DENDLESS --unroll=3: bounded
#include <assert.h>
#include <stdatomic.h>
static atomic_int x;
static int n;
static int sum(int k) { return k <= 0 ? 0 : k + sum(k - 1); }
void thread0(void) {
  int old = atomic_load(&x);
  while (!atomic_compare_exchange_strong(&x, &old, old + 1)) {
  }
}
void thread1(void) {
  int old = atomic_load(&x);
  while (!atomic_compare_exchange_strong(&x, &old, old + 1)) {
  }
}
void final(void) {
#ifdef WRONG
  assert(x == 1);
#endif
#ifdef COUNTED
  for (int i = 0; i < 10; i++)
    n += i;
  assert(n == 45);
#elif defined NESTED
  for (int i = 0; i < x; i++)
    for (int j = 0; j <= i; j++)
      n++;
  assert(n == 3);
#elif defined RECURSION
  assert(sum(x) == 3);
#else
  assert(x == 2 && !n);
#endif
}
#ifdef ASSERTED
static atomic_int y;
void thread2(void) {
  for (int i = 0; i < 6; i++)
    assert(atomic_fetch_add(&y, 1) == i);
}
#elif defined ENDLESS
static atomic_int y;
void thread2(void) {
  for (int i = 0;; i++) {
    assert(atomic_load(&x) < 3);
    atomic_store(&y, i);
  }
}
#endif
