/* Linux's primitives for shared memory, for `tidemark litmus` on C programs.
 *
 * Under the model lkmm they are what the kernel's model says; under models of C11 and of processors,
 * the nearest atomics and fences. */
#ifndef TIDEMARK_LINUX_H
#define TIDEMARK_LINUX_H

void tidemark_smp_mb(void);
void tidemark_smp_rmb(void);
void tidemark_smp_wmb(void);
void tidemark_smp_mb_before_atomic(void);
void tidemark_smp_mb_after_atomic(void);
void tidemark_smp_mb_after_spinlock(void);
void tidemark_smp_mb_after_unlock_lock(void);
void tidemark_spin_lock(int *locked);
int tidemark_spin_trylock(int *locked); /* 1: taken */
void tidemark_spin_unlock(int *locked);
void tidemark_rcu_read_lock(void);
void tidemark_rcu_read_unlock(void);
void tidemark_synchronize_rcu(void);

#define READ_ONCE(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v) __atomic_store_n(&(x), (v), __ATOMIC_RELAXED)
#define smp_load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define smp_store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define smp_store_mb(x, v) \
  do { \
    WRITE_ONCE(x, v); \
    smp_mb(); \
  } while (0)
#define rcu_read_lock() tidemark_rcu_read_lock()
#define rcu_read_unlock() tidemark_rcu_read_unlock()
#define synchronize_rcu() tidemark_synchronize_rcu()
#define rcu_dereference(p) READ_ONCE(p)
#define rcu_assign_pointer(p, v) smp_store_release(&(p), (v))

#define smp_mb() tidemark_smp_mb()
#define smp_rmb() tidemark_smp_rmb()
#define smp_wmb() tidemark_smp_wmb()
/* The kernel's model: up to the next, from the last read-modify-write or lock.  Full barriers elsewhere. */
#define smp_mb__before_atomic() tidemark_smp_mb_before_atomic()
#define smp_mb__after_atomic() tidemark_smp_mb_after_atomic()
#define smp_mb__after_spinlock() tidemark_smp_mb_after_spinlock()
#define smp_mb__after_unlock_lock() tidemark_smp_mb_after_unlock_lock()
#define barrier() __asm__ __volatile__("" ::: "memory")
#define cpu_relax() barrier()

#define xchg(p, v) __atomic_exchange_n((p), (v), __ATOMIC_SEQ_CST)
#define xchg_relaxed(p, v) __atomic_exchange_n((p), (v), __ATOMIC_RELAXED)
#define xchg_acquire(p, v) __atomic_exchange_n((p), (v), __ATOMIC_ACQUIRE)
#define xchg_release(p, v) __atomic_exchange_n((p), (v), __ATOMIC_RELEASE)

#define tidemark_cmpxchg(p, old, new, success, failure) \
  __extension__({ \
    __typeof__(*(p)) seen_ = (old); \
    __atomic_compare_exchange_n((p), &seen_, (new), 0, success, failure); \
    seen_; \
  })
#define cmpxchg(p, old, new) tidemark_cmpxchg(p, old, new, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)
#define cmpxchg_relaxed(p, old, new) \
  tidemark_cmpxchg(p, old, new, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#define cmpxchg_acquire(p, old, new) \
  tidemark_cmpxchg(p, old, new, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)
#define cmpxchg_release(p, old, new) \
  tidemark_cmpxchg(p, old, new, __ATOMIC_RELEASE, __ATOMIC_RELAXED)

typedef struct {
  int counter;
} atomic_t;

#define ATOMIC_INIT(i) \
  { (i) }
#define atomic_read(v) READ_ONCE((v)->counter)
#define atomic_set(v, i) WRITE_ONCE((v)->counter, (i))
#define atomic_read_acquire(v) smp_load_acquire(&(v)->counter)
#define atomic_set_release(v, i) smp_store_release(&(v)->counter, (i))
#define atomic_add(i, v) ((void)__atomic_fetch_add(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_sub(i, v) ((void)__atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_and(i, v) ((void)__atomic_fetch_and(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_or(i, v) ((void)__atomic_fetch_or(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_xor(i, v) ((void)__atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_RELAXED))
#define atomic_andnot(i, v) atomic_and(~(i), v)
#define atomic_inc(v) atomic_add(1, v)
#define atomic_dec(v) atomic_sub(1, v)

#define atomic_add_return(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_sub_return(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_inc_return(v) atomic_add_return(1, v)
#define atomic_dec_return(v) atomic_sub_return(1, v)
#define atomic_fetch_add(i, v) __atomic_fetch_add(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_fetch_sub(i, v) __atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_fetch_and(i, v) __atomic_fetch_and(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_fetch_or(i, v) __atomic_fetch_or(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_fetch_xor(i, v) __atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_fetch_andnot(i, v) atomic_fetch_and(~(i), v)
#define atomic_fetch_inc(v) atomic_fetch_add(1, v)
#define atomic_fetch_dec(v) atomic_fetch_sub(1, v)
#define atomic_xchg(v, i) xchg(&(v)->counter, (i))
#define atomic_cmpxchg(v, old, new) cmpxchg(&(v)->counter, (old), (new))

#define atomic_add_return_relaxed(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_sub_return_relaxed(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_inc_return_relaxed(v) atomic_add_return_relaxed(1, v)
#define atomic_dec_return_relaxed(v) atomic_sub_return_relaxed(1, v)
#define atomic_fetch_add_relaxed(i, v) __atomic_fetch_add(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_fetch_sub_relaxed(i, v) __atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_fetch_and_relaxed(i, v) __atomic_fetch_and(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_fetch_or_relaxed(i, v) __atomic_fetch_or(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_fetch_xor_relaxed(i, v) __atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_RELAXED)
#define atomic_fetch_andnot_relaxed(i, v) atomic_fetch_and_relaxed(~(i), v)
#define atomic_fetch_inc_relaxed(v) atomic_fetch_add_relaxed(1, v)
#define atomic_fetch_dec_relaxed(v) atomic_fetch_sub_relaxed(1, v)
#define atomic_xchg_relaxed(v, i) xchg_relaxed(&(v)->counter, (i))
#define atomic_cmpxchg_relaxed(v, old, new) cmpxchg_relaxed(&(v)->counter, (old), (new))

#define atomic_add_return_acquire(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic_sub_return_acquire(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic_inc_return_acquire(v) atomic_add_return_acquire(1, v)
#define atomic_dec_return_acquire(v) atomic_sub_return_acquire(1, v)
#define atomic_fetch_add_acquire(i, v) __atomic_fetch_add(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic_fetch_sub_acquire(i, v) __atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic_fetch_and_acquire(i, v) __atomic_fetch_and(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic_fetch_or_acquire(i, v) __atomic_fetch_or(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic_fetch_xor_acquire(i, v) __atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_ACQUIRE)
#define atomic_fetch_andnot_acquire(i, v) atomic_fetch_and_acquire(~(i), v)
#define atomic_fetch_inc_acquire(v) atomic_fetch_add_acquire(1, v)
#define atomic_fetch_dec_acquire(v) atomic_fetch_sub_acquire(1, v)
#define atomic_xchg_acquire(v, i) xchg_acquire(&(v)->counter, (i))
#define atomic_cmpxchg_acquire(v, old, new) cmpxchg_acquire(&(v)->counter, (old), (new))

#define atomic_add_return_release(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_sub_return_release(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_inc_return_release(v) atomic_add_return_release(1, v)
#define atomic_dec_return_release(v) atomic_sub_return_release(1, v)
#define atomic_fetch_add_release(i, v) __atomic_fetch_add(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_fetch_sub_release(i, v) __atomic_fetch_sub(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_fetch_and_release(i, v) __atomic_fetch_and(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_fetch_or_release(i, v) __atomic_fetch_or(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_fetch_xor_release(i, v) __atomic_fetch_xor(&(v)->counter, (i), __ATOMIC_RELEASE)
#define atomic_fetch_andnot_release(i, v) atomic_fetch_and_release(~(i), v)
#define atomic_fetch_inc_release(v) atomic_fetch_add_release(1, v)
#define atomic_fetch_dec_release(v) atomic_fetch_sub_release(1, v)
#define atomic_xchg_release(v, i) xchg_release(&(v)->counter, (i))
#define atomic_cmpxchg_release(v, old, new) cmpxchg_release(&(v)->counter, (old), (new))

#define atomic_inc_and_test(v) (atomic_add_return(1, v) == 0)
#define atomic_dec_and_test(v) (atomic_sub_return(1, v) == 0)
#define atomic_sub_and_test(i, v) (atomic_sub_return(i, v) == 0)
#define atomic_add_negative(i, v) (atomic_add_return(i, v) < 0)
#define atomic_add_unless(v, i, unless) \
  __extension__({ \
    __typeof__((v)->counter) there_ = atomic_read(v), next_; \
    while (there_ != (unless) && (next_ = atomic_cmpxchg(v, there_, there_ + (i))) != there_) \
      there_ = next_; \
    there_ != (unless); \
  })
#define atomic_inc_not_zero(v) atomic_add_unless(v, 1, 0)

typedef struct {
  long long counter;
} atomic64_t;

typedef struct {
  long counter;
} atomic_long_t;

#define atomic64_read atomic_read
#define atomic64_set atomic_set
#define atomic64_read_acquire atomic_read_acquire
#define atomic64_set_release atomic_set_release
#define atomic64_add atomic_add
#define atomic64_sub atomic_sub
#define atomic64_inc atomic_inc
#define atomic64_dec atomic_dec
#define atomic64_add_return atomic_add_return
#define atomic64_sub_return atomic_sub_return
#define atomic64_inc_return atomic_inc_return
#define atomic64_dec_return atomic_dec_return
#define atomic64_fetch_add atomic_fetch_add
#define atomic64_fetch_sub atomic_fetch_sub
#define atomic64_xchg atomic_xchg
#define atomic64_cmpxchg atomic_cmpxchg
#define atomic64_dec_and_test atomic_dec_and_test
#define atomic_long_read atomic_read
#define atomic_long_set atomic_set
#define atomic_long_read_acquire atomic_read_acquire
#define atomic_long_set_release atomic_set_release
#define atomic_long_add atomic_add
#define atomic_long_sub atomic_sub
#define atomic_long_inc atomic_inc
#define atomic_long_dec atomic_dec
#define atomic_long_add_return atomic_add_return
#define atomic_long_sub_return atomic_sub_return
#define atomic_long_inc_return atomic_inc_return
#define atomic_long_dec_return atomic_dec_return
#define atomic_long_fetch_add atomic_fetch_add
#define atomic_long_fetch_sub atomic_fetch_sub
#define atomic_long_xchg atomic_xchg
#define atomic_long_cmpxchg atomic_cmpxchg
#define atomic_long_dec_and_test atomic_dec_and_test

typedef struct {
  int locked;
} spinlock_t;

#define DEFINE_SPINLOCK(x) spinlock_t x = {0}

#define spin_lock_init(lock) ((void)((lock)->locked = 0))
#define spin_lock(lock) tidemark_spin_lock(&(lock)->locked)
#define spin_trylock(lock) tidemark_spin_trylock(&(lock)->locked)
#define spin_unlock(lock) tidemark_spin_unlock(&(lock)->locked)
#define spin_is_locked(lock) (READ_ONCE((lock)->locked) != 0)

#endif
