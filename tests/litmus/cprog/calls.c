// Function pointers in memory: which functions one holds is known only once those called before are.
// CHECK sc: verified
// CHECK rc11: verified
// CHECK rc11 -DRACE: violated
// CHECK sc -DANY: violated 22
#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
int __VERIFIER_nondet_int(void);
static int twice(int n) { return 2 * n; }
static int thrice(int n) { return 3 * n; }
static int (*first)(int), (*second)(int);
static _Atomic(int (*)(int)) shared;
static void choose(int (**to)(int), int three) { *to = three ? thrice : twice; }
static int run(int n) { return first(n); }
void thread0(void) {
  choose(&first, 0);
  choose(&second, run(2) == 4);
  assert(second(run(2)) == 12);
  atomic_store_explicit(&shared, twice, memory_order_release);
#ifdef ANY
  ((int (*)(int))(intptr_t)__VERIFIER_nondet_int())(1);
#endif
}
void thread1(void) {
  int (*f)(int) = atomic_load_explicit(&shared, memory_order_acquire);
  if (f)
    assert(f(second(1)) == 6);
#ifdef RACE
  second = twice;
#endif
}
