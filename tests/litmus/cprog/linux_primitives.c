// CHECK lkmm: verified
// CHECK rc11: verified
// CHECK aarch64: verified
// CHECK lkmm -DNO_BARRIER: violated
// CHECK aarch64 -DNO_BARRIER: violated
// CHECK lkmm -DATOMICS: verified
// CHECK lkmm -DATOMICS -DNO_BARRIER: violated 79
// CHECK aarch64 -DATOMICS: verified
// CHECK lkmm -DLOCK: verified
// CHECK lkmm -DSTORES: violated
// CHECK lkmm -DSTORES -DUPDATE: verified
// CHECK aarch64 -DSTORES: verified
// CHECK lkmm -DHANDOVER: verified
// CHECK rc11 -DHANDOVER: violated
// CHECK sc -DVALUES: verified
// CHECK lkmm -DVALUES: verified
#include <assert.h>
#include <tidemark_linux.h>
#ifdef NO_BARRIER
#define WMB()
#define RETURN atomic_add
#else
#define WMB() smp_wmb()
#define RETURN atomic_add_return
#endif
#ifdef ATOMICS
static atomic_t a = ATOMIC_INIT(0), b = ATOMIC_INIT(0);
static int r0, r1;
void thread0(void) { RETURN(1, &a); r0 = atomic_read(&b); }
void thread1(void) { RETURN(1, &b); r1 = atomic_read(&a); }
#elif defined LOCK
static DEFINE_SPINLOCK(lock);
static int count;
static void add(void) { spin_lock(&lock); count++; spin_unlock(&lock); }
void thread0(void) { add(); }
void thread1(void) { add(); if (spin_trylock(&lock)) { assert(count > 0); spin_unlock(&lock); } }
#elif defined STORES /* a barrier before what is no read-modify-write is none */
static int x, y, r0, r1;
static atomic_t z;
void thread0(void) {
  WRITE_ONCE(x, 1);
  smp_mb__before_atomic();
#ifdef UPDATE
  atomic_inc(&z);
#endif
  r0 = READ_ONCE(y);
}
void thread1(void) { WRITE_ONCE(y, 1); smp_mb(); r1 = READ_ONCE(x); }
void final(void) { assert(r0 || r1); }
#elif defined HANDOVER /* who unlocks and locks again keeps an order that others see */
static int x, y;
static DEFINE_SPINLOCK(lock);
static void set(int *p) { spin_lock(&lock); WRITE_ONCE(*p, 1); spin_unlock(&lock); }
void thread0(void) { set(&x); set(&y); }
void thread1(void) { if (READ_ONCE(y)) { smp_rmb(); assert(READ_ONCE(x)); } }
#elif defined VALUES
static atomic_t a = ATOMIC_INIT(6);
static atomic64_t b;
static DEFINE_SPINLOCK(lock);
void thread0(void) {
  assert(atomic_fetch_andnot_relaxed(2, &a) == 6 && atomic_read(&a) == 4);
  assert(atomic_add_return_acquire(3, &a) == 7 && atomic_fetch_inc_release(&a) == 7);
  assert(atomic_add_unless(&a, 1, 8) == 0 && atomic_inc_not_zero(&a) && atomic_read(&a) == 9);
  assert(atomic_xchg_release(&a, 1) == 9 && atomic_cmpxchg_acquire(&a, 1, -1) == 1);
  assert(atomic_inc_and_test(&a) && atomic_add_negative(-2, &a) && !atomic_sub_and_test(1, &a));
  atomic64_set(&b, 1ll << 40);
  assert(atomic64_inc_return(&b) == (1ll << 40) + 1);
  assert(spin_trylock(&lock) && spin_is_locked(&lock) && !spin_trylock(&lock));
  spin_unlock(&lock);
  assert(!spin_is_locked(&lock));
}
#else
static int data, flag;
void thread0(void) { WRITE_ONCE(data, 1); WMB(); WRITE_ONCE(flag, 1); }
void thread1(void) { if (READ_ONCE(flag)) { smp_rmb(); assert(READ_ONCE(data)); } }
#endif
#ifdef ATOMICS
void final(void) {
  assert(r0 || r1);
}
#endif
