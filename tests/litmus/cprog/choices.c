// CHECK sc: verified
// CHECK sc -DANY: violated 27
// CHECK rc11: verified
// CHECK sc -DRANDOM: verified
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);
static atomic_int x;
void thread0(void) { atomic_store(&x, __VERIFIER_nondet_int()); }
#ifdef RANDOM
static int places[5];
void thread2(void) {
  __builtin_prefetch(places);
  places[rand() % 5] = 1;
#ifdef BELOW
  int below = __VERIFIER_nondet_int();
  __VERIFIER_assume(below < 5 && below > -2);
  places[below] = 1;
#endif
  assert(random() >= 0 && random() <= RAND_MAX);
}
#endif
void thread1(void) {
#ifdef ANY
  assert(atomic_load(&x) != 123456789);
#endif
  int v = atomic_load(&x);
  __VERIFIER_assume(v > 10 && v < 13);
  switch (v) {
  case 11:
    assert(v * v == 121);
    break;
  case 12:
    assert(v * v == 144);
    break;
  default:
    assert(0);
  }
  if (v == 12)
    exit(0);
  assert(v == 11);
}
