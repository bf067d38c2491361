/* Functions of the C library for the programs of `tidemark litmus`: compiled with a program that calls
 * one of them and does not define it (src/lift/lift_library.c has the list).  What happens in here is
 * said to happen where it was called. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>

long __VERIFIER_nondet_long(void);
void __VERIFIER_assume(int);
size_t tidemark_object_size(const void *); /* from malloc; must be known */

int *__errno_location(void) {
  static _Thread_local int value;
  return &value;
}

/* ---- strings ---- */

char *strcat(char *to, const char *from) {
  strcpy(to + strlen(to), from);
  return to;
}

char *strchr(const char *s, int c) {
  for (;; s++) {
    if (*s == (char)c)
      return (char *)s;
    if (!*s)
      return NULL;
  }
}

char *strrchr(const char *s, int c) {
  char *last = NULL;
  for (;; s++) {
    if (*s == (char)c)
      last = (char *)s;
    if (!*s)
      return last;
  }
}

void *memchr(const void *s, int c, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (((const unsigned char *)s)[i] == (unsigned char)c)
      return (char *)s + i;
  return NULL;
}

char *strstr(const char *s, const char *what) {
  for (;; s++) {
    size_t i = 0;
    while (what[i] && s[i] == what[i])
      i++;
    if (!what[i])
      return (char *)s;
    if (!s[i])
      return NULL;
  }
}

char *strdup(const char *s) {
  size_t n = strlen(s) + 1;
  char *copy = malloc(n);
  memcpy(copy, s, n);
  return copy;
}

int atoi(const char *s) {
  int value = 0, minus = *s == '-';
  for (s += minus; *s >= '0' && *s <= '9'; s++)
    value = value * 10 + (*s - '0');
  return minus ? -value : value;
}

long atol(const char *s) {
  return atoi(s);
}

/* ---- memory ---- */

void *realloc(void *p, size_t n) {
  char *q = malloc(n);
  if (p) {
    size_t old = tidemark_object_size(p);
    memcpy(q, p, old < n ? old : n);
    free(p);
  }
  return q;
}

/* ---- arrays ---- */

void qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *)) {
  char *a = base;
  for (size_t i = 1; i < n; i++) {
    for (size_t j = i; j > 0 && compare(a + (j - 1) * size, a + j * size) > 0; j--)
      for (size_t k = 0; k < size; k++) {
        char t = a[j * size + k];
        a[j * size + k] = a[(j - 1) * size + k];
        a[(j - 1) * size + k] = t;
      }
  }
}

/* ---- values of threads; destructors do not run ---- */

enum { KEYS = 16 };
static _Thread_local void *values[KEYS];
static unsigned keys;

static int new_key(unsigned *key) {
  *key = __atomic_fetch_add(&keys, 1, __ATOMIC_RELAXED);
  return *key < KEYS ? 0 : 11; /* EAGAIN */
}

int pthread_key_create(pthread_key_t *key, void (*destroy)(void *)) {
  (void)destroy;
  return new_key(key);
}

int pthread_key_delete(pthread_key_t key) {
  return key < KEYS ? 0 : 22; /* EINVAL */
}

int pthread_setspecific(pthread_key_t key, const void *value) {
  values[key % KEYS] = (void *)value;
  return 0;
}

void *pthread_getspecific(pthread_key_t key) {
  return values[key % KEYS];
}

int tss_create(tss_t *key, tss_dtor_t destroy) {
  (void)destroy;
  return new_key(key);
}

int tss_set(tss_t key, void *value) {
  return pthread_setspecific(key, value);
}

void *tss_get(tss_t key) {
  return pthread_getspecific(key);
}

/* ---- local statics of C++ that are initialised when they are reached first ---- */

/* The compiler looks at the first byte of the guard, whether it is done; the second is a lock. */
int __cxa_guard_acquire(atomic_char *guard) {
  while (atomic_exchange_explicit(&guard[1], 1, memory_order_acquire))
    ;
  if (!atomic_load_explicit(&guard[0], memory_order_relaxed))
    return 1;
  atomic_store_explicit(&guard[1], 0, memory_order_release);
  return 0;
}

void __cxa_guard_release(atomic_char *guard) {
  atomic_store_explicit(&guard[0], 1, memory_order_release);
  atomic_store_explicit(&guard[1], 0, memory_order_release);
}

void __cxa_guard_abort(atomic_char *guard) {
  atomic_store_explicit(&guard[1], 0, memory_order_release);
}

/* ---- time is any time ---- */

time_t time(time_t *t) {
  time_t now = __VERIFIER_nondet_long();
  if (t)
    *t = now;
  return now;
}

int clock_gettime(clockid_t clock, struct timespec *t) {
  (void)clock;
  t->tv_sec = __VERIFIER_nondet_long();
  t->tv_nsec = __VERIFIER_nondet_long();
  __VERIFIER_assume(t->tv_nsec >= 0 && t->tv_nsec < 1000000000);
  return 0;
}

int timespec_get(struct timespec *t, int base) {
  clock_gettime(CLOCK_REALTIME, t);
  return base;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone) {
  (void)zone;
  t->tv_sec = __VERIFIER_nondet_long();
  t->tv_usec = __VERIFIER_nondet_long();
  __VERIFIER_assume(t->tv_usec >= 0 && t->tv_usec < 1000000);
  return 0;
}
