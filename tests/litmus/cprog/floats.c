// Floating-point numbers are passed on and compared bit by bit; what is computed may only be printed.
// CHECK rc11: verified
// CHECK aarch64: verified
// CHECK rc11 -DOVER: violated 39
// CHECK rc11 -DLATE: violated 47
// ERROR rc11 -DCOMPUTED: floating-point arithmetic is not supported
#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static double d = -1.5, infinite = INFINITY, no_number = NAN, zero = 0.0, minus_zero = -0.0;
static float f = 0.25f, g = -3.0f;
static atomic_int ready;
static int count;

static void *writer(void *unused) {
  d = 2.5;
  count = 3;
  atomic_store_explicit(&ready, 1, memory_order_release);
  printf("%f\n", (double)count / 3.0 + f);
  return unused;
}

int main(void) {
  pthread_t t;
  assert(d < 0 && d > -1.6 && d != 1.5);
  assert(zero == minus_zero && !(zero < minus_zero) && zero >= minus_zero);
  assert(no_number != no_number && !(no_number == no_number));
  assert(!(no_number < 1.0) && !(no_number >= 1.0) && !(1.0 > no_number));
  assert(infinite > 1e300 && -infinite < -1e300);
  assert(f > g && g < f && f <= 0.25f && f >= 0.25f && g < -2.5f && !(g < -3.0f));
  pthread_create(&t, NULL, writer, NULL);
  if (atomic_load_explicit(&ready, memory_order_acquire)) {
    double x = d;
    assert(x == 2.5 && x > 2.4999);
#ifdef OVER
    assert(x > 2.5);
#endif
#ifdef COMPUTED
    assert(x + x == 5.0);
#endif
  }
  pthread_join(t, NULL);
#ifdef LATE
  assert(d < 0);
#endif
}
