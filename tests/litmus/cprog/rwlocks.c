// Locks for readers and writers, semaphores, and what is done once.
// CHECK sc: verified
// CHECK x86tso: verified
// CHECK rc11: verified
// CHECK aarch64: verified
// ENDS rc11
// CHECK rc11 -DREAD_ONLY: violated
// CHECK sc -DALONE: violated 47
// CHECK rc11 -DTRY: verified
// CHECK sc -DTWICE: verified
// CHECK rc11 -DSEMAPHORE=1: verified
// CHECK rc11 -DSEMAPHORE=2: violated
// CHECK sc -DSEMAPHORE=0: verified
// HANG sc -DSEMAPHORE=0
// CHECK rc11 -DONCE: verified
// CHECK rc11 -DNOT_ONCE: violated
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t s;
static atomic_int readers;
static int data, copy;
static void set(void) { data += 1; copy += 1; }
#if defined ONCE || defined NOT_ONCE
static void *reader(void *p) {
#ifdef ONCE
  pthread_once(&once, set);
#else
  set();
#endif
  assert(data == 1 && copy == 1);
  return p;
}
#define writer reader
#elif defined SEMAPHORE
static int permits(void) { int n; return sem_getvalue(&s, &n) ? -1 : n; }
static void *reader(void *p) { sem_wait(&s); set(); assert(data == copy && permits() == SEMAPHORE - 1); sem_post(&s); return p; }
#define writer reader
#else
static void look(void) {
  int others = atomic_fetch_add(&readers, 1), seen = data;
#ifdef ALONE
  assert(others == 0);
#endif
  assert(seen == copy && others < 2);
  atomic_fetch_sub(&readers, 1);
}
static void *reader(void *p) {
#ifdef TRY
  if (pthread_rwlock_tryrdlock(&l))
    return p;
#else
  pthread_rwlock_rdlock(&l);
#endif
  look();
  pthread_rwlock_unlock(&l);
  return p;
}
static void *writer(void *p) {
#ifdef READ_ONLY
  pthread_rwlock_rdlock(&l);
#elif defined TRY
  if (pthread_rwlock_trywrlock(&l))
    return p;
#else
  pthread_rwlock_wrlock(&l);
#endif
  assert(atomic_load(&readers) == 0);
  set();
#ifdef TWICE
  int read = pthread_rwlock_rdlock(&l), write = pthread_rwlock_wrlock(&l);
  assert(read == EDEADLK && write == EDEADLK && pthread_rwlock_tryrdlock(&l) == EBUSY);
#endif
  pthread_rwlock_unlock(&l);
  return p;
}
#endif
int main(void) {
  pthread_t t[3];
#ifdef SEMAPHORE
  sem_init(&s, 0, SEMAPHORE);
#endif
  pthread_create(&t[0], 0, reader, 0);
  pthread_create(&t[1], 0, reader, 0);
  pthread_create(&t[2], 0, writer, 0);
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], 0);
#ifdef TRY
  assert(data == 1 || data == 0);
#endif
}
