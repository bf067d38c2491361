// A mutex between machines is released when its owner's machine fails, and the next owner can tell.
// RUN: %tidemark_cc %s -o %t && %t && %tidemark check --model=cxl --machines=2 %t
// RUN: %tidemark check --model=cxl --machines=3 %t
#include <errno.h>
#include <immintrin.h>
#include <pthread.h>
#include <stdint.h>
#include <tidemark.h>

struct shared {
  pthread_mutex_t plain;  /* zero bytes are a normal mutex */
  pthread_mutex_t robust; /* initialised by machine 0, under `plain` */
  _Alignas(64) uint64_t robust_ready;
  _Alignas(64) uint64_t a;
  _Alignas(64) uint64_t b;
};

static struct shared *s;

static void persist(void *p) {
  _mm_clflush(p);
  _mm_sfence();
}

static void add(int owner_failed) {
  tidemark_assert(owner_failed || s->a == s->b);
  tidemark_assert(s->a == s->b || s->a == s->b + 1);
  if (s->a != s->b) {
    s->b = s->a;
    persist(&s->b);
  }
  s->a++;
  persist(&s->a);
  s->b++;
  persist(&s->b);
}

static void with_plain(void) {
  pthread_mutex_lock(&s->plain);
  add(tidemark_mutex_owner_failed(&s->plain));
  pthread_mutex_unlock(&s->plain);
}

static void *with_robust(void *unused) {
  int result = pthread_mutex_lock(&s->robust);
  tidemark_assert(result == 0 || result == EOWNERDEAD);
  if (result == EOWNERDEAD) {
    tidemark_assert(tidemark_mutex_owner_failed(&s->robust));
    tidemark_assert(pthread_mutex_consistent(&s->robust) == 0);
  }
  pthread_mutex_unlock(&s->robust);
  return unused;
}

static void make_robust(void) {
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&s->robust, &attr);
  pthread_mutexattr_destroy(&attr);
}

int main(void) {
  s = tidemark_region("shared", sizeof *s);
  pthread_t t;
  with_plain();
  pthread_mutex_lock(&s->plain);
  if (!s->robust_ready) {
    make_robust();
    s->robust_ready = 1;
    persist(&s->robust_ready);
  }
  pthread_mutex_unlock(&s->plain);
  pthread_create(&t, NULL, with_robust, NULL);
  with_robust(NULL);
  pthread_join(t, NULL);
  with_plain();
  return 0;
}
