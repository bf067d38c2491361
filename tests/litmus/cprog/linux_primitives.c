// CHECK lkmm: verified
// CHECK rc11: verified
// CHECK aarch64: verified
// CHECK lkmm -DNO_BARRIER: violated
// CHECK aarch64 -DNO_BARRIER: violated
// CHECK lkmm -DATOMICS: verified
// CHECK lkmm -DATOMICS -DNO_BARRIER: violated 37
// CHECK aarch64 -DATOMICS: verified
// CHECK lkmm -DLOCK: verified
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
