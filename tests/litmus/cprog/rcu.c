// A reader that has seen the old pointer is waited for before the old data go away.
// CHECK lkmm: verified
// CHECK lkmm -DNO_WAIT: violated 19
// ERROR rc11: the target lkmm only
#include <assert.h>
#include <tidemark_linux.h>
static int first = 1, second = 2, *current = &first;
void thread0(void) {
  rcu_assign_pointer(current, &second);
#ifndef NO_WAIT
  synchronize_rcu();
#endif
  WRITE_ONCE(first, 0);
}
void thread1(void) {
  rcu_read_lock();
  int *p = rcu_dereference(current);
  int v = READ_ONCE(*p);
  assert(v);
  rcu_read_unlock();
}
