// CHECK sc -DNOT=2: violated 11
// CHECK sc -DNOT=3: verified
// CHECK rc11 -DNOT=0: violated 11
#include <assert.h>
#include <stdatomic.h>
#include <tidemark.h>
static atomic_int x = 1;
void thread0(void) { atomic_store(&x, (int)tidemark_choose(3)); }
void thread1(void) {
  int v = atomic_load(&x);
  assert(v != NOT);
}
