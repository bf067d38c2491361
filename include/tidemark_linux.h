/* Linux's primitives for shared memory, for `tidemark litmus` on C programs.
 *
 * Under the model lkmm they are what the kernel's model says; under models of C11 and of processors,
 * the nearest atomics and fences. */
#ifndef TIDEMARK_LINUX_H
#define TIDEMARK_LINUX_H

void tidemark_smp_mb(void);
void tidemark_smp_rmb(void);
void tidemark_smp_wmb(void);
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
#define smp_mb__before_atomic() tidemark_smp_mb()
#define smp_mb__after_atomic() tidemark_smp_mb()
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
#define atomic_inc(v) atomic_add(1, v)
#define atomic_dec(v) atomic_sub(1, v)
#define atomic_add_return(i, v) __atomic_add_fetch(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_sub_return(i, v) __atomic_sub_fetch(&(v)->counter, (i), __ATOMIC_SEQ_CST)
#define atomic_inc_return(v) atomic_add_return(1, v)
#define atomic_dec_return(v) atomic_sub_return(1, v)
#define atomic_dec_and_test(v) (atomic_sub_return(1, v) == 0)
#define atomic_xchg(v, i) xchg(&(v)->counter, (i))
#define atomic_cmpxchg(v, old, new) cmpxchg(&(v)->counter, (old), (new))

typedef struct {
  int locked;
} spinlock_t;

#define DEFINE_SPINLOCK(x) spinlock_t x = {0}

static inline __attribute__((unused)) void spin_lock(spinlock_t *lock) {
  while (xchg_acquire(&lock->locked, 1))
    cpu_relax();
}

static inline __attribute__((unused)) int spin_trylock(spinlock_t *lock) {
  return !xchg_acquire(&lock->locked, 1);
}

static inline __attribute__((unused)) void spin_unlock(spinlock_t *lock) {
  smp_store_release(&lock->locked, 0);
}

#endif
