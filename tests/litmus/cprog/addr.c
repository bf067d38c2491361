// An address dependency orders the reads of the processors; C11 knows no such thing.
// CHECK sc: verified
// CHECK aarch64: verified
// CHECK riscv: verified
// CHECK lkmm: verified
// CHECK rc11: violated
// CHECK aarch64 -DNO_DEPENDENCY: violated
#include <assert.h>
#include <stdatomic.h>
struct box { int value; };
static struct box first = {1}, second;
static _Atomic(struct box *) current = &first;
void thread0(void) {
  second.value = 2;
  atomic_store_explicit(&current, &second, memory_order_release);
}
void thread1(void) {
  struct box *b = atomic_load_explicit(&current, memory_order_relaxed);
#ifdef NO_DEPENDENCY
  int v = b == &second ? 0 : 1;
  if (!v)
    assert(second.value == 2);
#else
  assert(b->value != 0);
#endif
}
