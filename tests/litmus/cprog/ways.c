// CHECK sc --timeout=60 --unroll=1: bounded
/* Ways that part and meet again, one after the other: the condition of each is looked at once. */
#include <stdatomic.h>
static atomic_int x, y, z;
static int step(void) {
  for (int i = 0;; i++) {
    if (atomic_load(&x) == 1)
      return i;
    if (atomic_load(&y) == 1)
      return i + 1;
    atomic_store(&z, i);
  }
}
void thread0(void) { atomic_store(&x, 1); atomic_store(&y, 1); }
void thread1(void) {
  for (int i = 0; i < 14; i++)
    step();
}
