// CHECK sc: verified
// CHECK rc11: verified
// CHECK aarch64: verified
// CHECK sc -DEARLY: violated 64
// CHECK rc11 -DEARLY: violated
// CHECK sc -DEXITS: violated 64
// CHECK sc -DINSIDE: violated 64
// CHECK sc -DAGAIN: verified
// CHECK rc11 -DAGAIN: verified
// CHECK aarch64 -DRELAXED: violated 64
// CHECK x86tso -DRELAXED: verified
// CHECK sc -DSELF: violated 80
// CHECK sc -DRECURSIVE: violated 92
// CHECK sc -DMAIN: verified
// Local variables whose address is passed on, and how long they are there.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static _Atomic(int *) shared;
static atomic_int done;
static _Thread_local volatile int seen;
#ifdef RELAXED
#define RELEASE memory_order_relaxed
#define ACQUIRE memory_order_relaxed
#else
#define RELEASE memory_order_release
#define ACQUIRE memory_order_acquire
#endif
static void wait(void) {
#if !defined EARLY && !defined EXITS
  while (!atomic_load_explicit(&done, ACQUIRE)) {}
#endif
}
static void leave(int *x) {
  atomic_store(&shared, x);
#ifdef EXITS
  pthread_exit(NULL);
#endif
}
static void offer(int value) {
  int x = value;
  atomic_store(&shared, &x);
#ifndef INSIDE
  wait();
#endif
}
static void *writer(void *arg) {
#if defined INSIDE || defined AGAIN // of a function that is inlined, as often as it is called
  for (int i = 0; i < 2; i++) {
    offer(i);
    atomic_store(&shared, NULL);
    atomic_store(&done, 0);
  }
#else
  int x = 1;
  leave(&x);
  wait();
#endif
  return arg;
}
static void *reader(void *arg) {
  int *p = atomic_load(&shared);
  if (p)
    seen = *p;
#ifdef INSIDE
  return arg;
#endif
  atomic_store_explicit(&done, 1, RELEASE);
  return arg;
}
#ifdef SELF
static int *escape(void) {
  int x = 1;
  int *volatile p = &x;
  atomic_store(&shared, p);
  return p;
}
static void *myself(void *arg) {
  int *p = escape();
  assert(*p);
  return arg;
}
#endif
#ifdef RECURSIVE
static int *deep(int n) {
  int x = n;
  atomic_store(&shared, &x);
  return n ? deep(n - 1) : atomic_load(&shared);
}
static void *myself(void *arg) {
  int *p = deep(2);
  assert(!*p);
  return arg;
}
#endif
#if !defined SELF && !defined RECURSIVE
static void *myself(void *arg) { return arg; }
#endif
int main(void) {
  pthread_t t[3];
#ifdef MAIN // what main has stays
  int x = 1;
  pthread_create(&t[0], NULL, reader, NULL);
  atomic_store(&shared, &x);
#elif defined SELF || defined RECURSIVE
  pthread_create(&t[0], NULL, myself, NULL);
#else
  pthread_create(&t[0], NULL, writer, NULL);
  pthread_create(&t[1], NULL, reader, NULL);
  (void)myself;
#endif
  return 0;
}
