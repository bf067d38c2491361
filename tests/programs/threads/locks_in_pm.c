// Locks inside persistent structures, initialised anew at each start: whatever was held when the power
// failed is free afterwards.
// RUN: %tidemark_cc %s -o %t && %t && %tidemark check %t
#include <immintrin.h>
#include <pthread.h>
#include <stdint.h>
#include <tidemark.h>

struct counter {
  pthread_mutex_t mutex;
  pthread_rwlock_t rwlock;
  pthread_cond_t changed;
  pthread_spinlock_t spin;
  _Alignas(64) uint64_t a;
  _Alignas(64) uint64_t b;
};

static struct counter *c;

static void persist(void *p) {
  _mm_clflush(p);
  _mm_sfence();
}

static void *add(void *unused) {
  for (int i = 0; i < 2; i++) {
    pthread_mutex_lock(&c->mutex);
    pthread_rwlock_wrlock(&c->rwlock);
    pthread_spin_lock(&c->spin);
    c->a++;
    persist(&c->a);
    c->b++;
    persist(&c->b);
    pthread_spin_unlock(&c->spin);
    pthread_rwlock_unlock(&c->rwlock);
    pthread_cond_signal(&c->changed);
    pthread_mutex_unlock(&c->mutex);
  }
  return unused;
}

static void recover(void) {
  pthread_mutex_lock(&c->mutex);
  pthread_rwlock_wrlock(&c->rwlock);
  pthread_spin_lock(&c->spin);
  tidemark_assert(c->a == c->b || c->a == c->b + 1);
  c->a = c->b;
  persist(&c->a);
  pthread_spin_unlock(&c->spin);
  pthread_rwlock_unlock(&c->rwlock);
  pthread_mutex_unlock(&c->mutex);
}

int main(void) {
  c = tidemark_region("counter", sizeof *c);
  pthread_mutex_init(&c->mutex, NULL);
  pthread_rwlock_init(&c->rwlock, NULL);
  pthread_cond_init(&c->changed, NULL);
  pthread_spin_init(&c->spin, PTHREAD_PROCESS_SHARED);
  if (tidemark_failures() > 0)
    recover();
  uint64_t before = c->b;
  pthread_t t[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&t[i], NULL, add, NULL);
  pthread_mutex_lock(&c->mutex);
  while (c->b < before + 4)
    pthread_cond_wait(&c->changed, &c->mutex);
  pthread_mutex_unlock(&c->mutex);
  for (int i = 0; i < 2; i++)
    pthread_join(t[i], NULL);
  tidemark_assert(c->a == before + 4 && c->b == before + 4);
  return 0;
}
