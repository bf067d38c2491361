// Published verdicts of Power's model, with what compilers make of C's orders: lwsync for releases and
// fences, sync for sequentially consistent ones, a branch and isync behind acquires.
// CHECK power -DMP: violated
// CHECK power -DMP -DREL: violated
// CHECK power -DMP -DREL -DACQ: verified
// CHECK power -DMP -DREL -DCONTROL: violated
// CHECK power -DMP -DREL -DADDRESS: verified
// CHECK power -DMP -DFENCE=memory_order_release: verified
// CHECK power -DMP -DFENCE=memory_order_relaxed: violated
// CHECK power -DSB -DFENCE=memory_order_acq_rel: violated
// CHECK power -DSB -DFENCE=memory_order_seq_cst: verified
// CHECK power -DSB -DREL -DACQ: violated
// CHECK power -DSB -DSC: verified
// CHECK power -DLB: violated
// CHECK power -DLB -DREL: verified
// CHECK power -DLB -DACQ: verified
// CHECK power -DWRC -DREL -DADDRESS: verified
// CHECK power -DWRC -DADDRESS: violated
// CHECK power -DWRC -DACQ: violated
// CHECK power -DIRIW -DREL -DACQ: violated
// CHECK power -DIRIW -DFENCE=memory_order_acq_rel: violated
// CHECK power -DIRIW -DFENCE=memory_order_seq_cst: verified
// CHECK power -DIRIW -DSC: verified
// CHECK power -DW22: violated
// CHECK power -DW22 -DREL: verified
// CHECK power -DRMW: violated
// CHECK power -DRMW -DREL: violated
// CHECK power -DRMW -DREL -DACQ: verified
// CHECK power -DEXCHANGE -DREL -DACQ: verified
// CHECK power -DEXCHANGE -DREL: violated
// Failed exchanges have an order of their own; what follows them is in front of no isync.
// CHECK power -DFAILED -DREL -DACQ: verified
// CHECK power -DFAILED -DREL: violated
// Barriers of Armv8 are for the full system, as some models want them, or inner ones, as others know them alone.
// CHECK ../models/deprecated.cat -DSB -DFENCE=memory_order_acq_rel: verified
// CHECK ../models/deprecated.cat -DSB -DFENCE=memory_order_acquire: violated
// CHECK ../models/deprecated.cat --target=aarch64 -DSB -DFENCE=memory_order_seq_cst: verified
// CHECK ../models/deprecated.cat -DMP -DFENCE=memory_order_release: verified
// CHECK ../models/inner.cat -DSB -DFENCE=memory_order_acq_rel: verified
// CHECK ../models/inner.cat -DSB -DFENCE=memory_order_acquire: violated
// CHECK ../models/inner.cat --target=aarch64 -DSB -DFENCE=memory_order_seq_cst: verified
// CHECK ../models/inner.cat -DMP -DFENCE=memory_order_release: verified
// CHECK ../models/dmb.cat -DMP: violated
// CHECK ../models/dmb.cat -DMP -DREL: violated
// CHECK ../models/dmb.cat -DMP -DREL -DACQ: verified
// CHECK ../models/dmb.cat -DSB -DREL -DACQ: violated
// CHECK ../models/dmb.cat -DSB -DSC: verified
// CHECK ../models/dmb.cat -DSB -DFENCE=memory_order_seq_cst: verified
// CHECK ../models/dmb.cat -DRMW -DREL: violated
// CHECK ../models/dmb.cat -DRMW -DREL -DACQ: verified
// CHECK ../models/dmb.cat -DFAILED -DREL -DACQ: verified
// CHECK ../models/dmb.cat -DFAILED -DREL: violated
#include <assert.h>
#include <stdatomic.h>
#ifdef FENCE
#define BETWEEN() atomic_thread_fence(FENCE)
#else
#define BETWEEN() ((void)0)
#endif
#ifdef SC
#define PUT memory_order_seq_cst
#define GET memory_order_seq_cst
#endif
#ifdef REL
#define PUT memory_order_release
#endif
#ifdef ACQ
#define GET memory_order_acquire
#endif
#ifndef PUT
#define PUT memory_order_relaxed
#endif
#ifndef GET
#define GET memory_order_relaxed
#endif
#define put(x, v) atomic_store_explicit(&(x), v, PUT)
#define get(x) atomic_load_explicit(&(x), GET)
#define plain_get(x) atomic_load_explicit(&(x), memory_order_relaxed)
static atomic_int x, y;
static int a, b, c, d;

#ifdef ADDRESS
#define NEXT(place, seen) plain_get(*(&(place) + ((seen) & 2)))
#else
#define NEXT(place, seen) plain_get(place)
#endif

#if defined MP || defined RMW || defined EXCHANGE || defined FAILED
void thread0(void) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  BETWEEN();
#ifdef RMW
  atomic_fetch_add_explicit(&y, 1, PUT);
#else
  put(y, 1);
#endif
}
void thread1(void) {
#ifdef RMW
  a = atomic_fetch_add_explicit(&y, 2, GET);
#elif defined EXCHANGE
  a = 1;
  a = atomic_compare_exchange_strong_explicit(&y, &a, 2, GET, memory_order_relaxed);
#elif defined FAILED
  int seen = 0;
  a = !atomic_compare_exchange_strong_explicit(&y, &seen, 2, memory_order_acquire, GET);
#else
  a = get(y);
#endif
  BETWEEN();
#ifdef CONTROL
  if (a)
#endif
    b = NEXT(x, a);
}
void final(void) { assert(!a || b); }
#elif defined SB
void thread0(void) { put(x, 1); BETWEEN(); a = get(y); }
void thread1(void) { put(y, 1); BETWEEN(); b = get(x); }
void final(void) { assert(a || b); }
#elif defined LB
void thread0(void) { a = get(x); put(y, 1); }
void thread1(void) { b = get(y); put(x, 1); }
void final(void) { assert(!a || !b); }
#elif defined WRC
void thread0(void) { atomic_store_explicit(&x, 1, memory_order_relaxed); }
void thread1(void) { a = get(x); put(y, a); }
void thread2(void) { b = get(y); c = NEXT(x, b); }
void final(void) { assert(!a || !b || c); }
#elif defined IRIW
void thread0(void) { put(x, 1); }
void thread1(void) { put(y, 1); }
void thread2(void) { a = get(x); BETWEEN(); b = get(y); }
void thread3(void) { c = get(y); BETWEEN(); d = get(x); }
void final(void) { assert(!(a && !b && c && !d)); }
#elif defined W22
void thread0(void) { atomic_store_explicit(&x, 1, memory_order_relaxed); put(y, 2); }
void thread1(void) { atomic_store_explicit(&y, 1, memory_order_relaxed); put(x, 2); }
void final(void) { assert(!(plain_get(x) == 1 && plain_get(y) == 1)); }
#endif
