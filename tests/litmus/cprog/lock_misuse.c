// CHECK sc: verified
// CHECK rc11: verified
// CHECK sc -DHANDS: verified
// CHECK rc11 -DHANDS: verified
// CHECK sc -DHANDS -DWRONG: violated 62
// CHECK sc -DTRIED: verified
// CHECK sc -DTRIED -DWRONG: violated 73
// CHECK sc -DOTHER: violated 80
// CHECK aarch64 -DOTHER: violated 80
// CHECK sc -DTWICE: violated 87
// CHECK sc -DNORMAL: violated 99
// CHECK sc -DNORMAL -DCHECKED: verified
// CHECK sc -DSPIN: violated 108
// CHECK sc -DREADERS: violated 118
// CHECK sc -DREADERS -DWRITE: violated 116
// CHECK sc -DENDED: violated 130
// CHECK rc11 -DENDED: violated 130
// CHECK sc -DENDED -DAGAIN: verified
// CHECK sc -DHELD: violated 137
// CHECK sc -DPERMITS: violated 146
// CHECK sc -DNONE: violated 152
// CHECK sc -DALIGNED: violated 158
// Locks that are given back by somebody else, used after their end, or never initialised.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other;
static atomic_int flag;
static int data;
#if !defined HANDS && !defined TRIED && !defined OTHER && !defined TWICE && !defined NORMAL && !defined SPIN && \
    !defined READERS && !defined ENDED && !defined HELD && !defined PERMITS && !defined NONE && !defined ALIGNED
static void *add(void *to) {
  pthread_mutex_lock(&lock);
  ++*(int *)to;
  pthread_mutex_unlock(&lock);
  return NULL;
}
int main(void) {
  pthread_t t;
  pthread_mutex_init(&lock, NULL);
  pthread_create(&t, NULL, add, &data);
  add(&data);
  pthread_join(t, NULL);
  assert(data == 2);
  pthread_mutex_destroy(&lock);
}
#endif
#ifdef HANDS // one lock after the other, through pointers that are read
struct node { pthread_mutex_t lock; struct node *next; };
static struct node last, first = {.next = &last};
static void walk(void) {
  struct node *at = &first;
  pthread_mutex_lock(&at->lock);
  struct node *next = at->next;
  pthread_mutex_lock(&next->lock);
#ifdef WRONG
  at = next;
#endif
  pthread_mutex_unlock(&at->lock);
  pthread_mutex_unlock(&next->lock);
}
void thread0(void) { walk(); }
void thread1(void) { walk(); }
#endif
#ifdef TRIED
void thread0(void) {
  int taken = !pthread_mutex_trylock(&lock);
#ifndef WRONG
  if (taken)
#endif
    pthread_mutex_unlock(&lock);
}
void thread1(void) { thread0(); }
#endif
#ifdef OTHER
void thread0(void) { pthread_mutex_lock(&lock); atomic_store(&flag, 1); }
void thread1(void) {
  if (atomic_load(&flag)) pthread_mutex_unlock(&lock);
}
#endif
#ifdef TWICE
void thread0(void) {
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  pthread_mutex_unlock(&lock);
}
#endif
#ifdef NORMAL
void thread0(void) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&other, &kind);
#ifdef CHECKED
  assert(pthread_mutex_unlock(&other));
#else
  pthread_mutex_unlock(&lock);
#endif
}
#endif
#ifdef SPIN
static pthread_spinlock_t spin;
void thread0(void) { pthread_spin_lock(&spin); atomic_store(&flag, 1); }
void thread1(void) {
  while (!atomic_load(&flag)) {}
  pthread_spin_unlock(&spin);
}
#endif
#ifdef READERS
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
void thread0(void) {
#ifdef WRITE
  if (atomic_load(&flag))
    pthread_rwlock_unlock(&rw);
#else
  pthread_rwlock_unlock(&rw);
#endif
}
void thread1(void) { pthread_rwlock_wrlock(&rw); atomic_store(&flag, 1); }
#endif
#ifdef ENDED
void thread0(void) { pthread_mutex_destroy(&lock); atomic_store(&flag, 1); }
void thread1(void) {
  while (!atomic_load(&flag)) {}
#ifdef AGAIN
  pthread_mutex_init(&lock, NULL);
#endif
  pthread_mutex_lock(&lock);
}
#endif
#ifdef HELD
void thread0(void) { pthread_mutex_lock(&lock); atomic_store(&flag, 1); }
void thread1(void) {
  while (!atomic_load(&flag)) {}
  pthread_mutex_destroy(&lock);
}
#endif
#ifdef PERMITS
static sem_t permits;
void thread0(void) {
  sem_init(&permits, 0, 1);
  sem_wait(&permits);
  sem_destroy(&permits);
  sem_post(&permits);
}
#endif
#ifdef NONE
static pthread_barrier_t barrier;
void thread0(void) {
  pthread_barrier_wait(&barrier);
}
#endif
#ifdef ALIGNED
void thread0(void) {
  atomic_store(&flag, 0);
  void *p = aligned_alloc(3, 9);
  free(p);
}
#endif
