// What runs before main, or before the threads.
// CHECK rc11: verified
// CHECK rc11 -DTHREADS: verified
// CHECK rc11 -DLATER: violated 26
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x, order;

__attribute__((constructor(300))) static void second(void) {
  order = order * 10 + 2;
}

__attribute__((constructor(200))) static void first(void) {
  order = order * 10 + 1;
}

__attribute__((constructor)) static void last(void) {
  x = 5;
}

static void look(void) {
  assert(x >= 5);
  assert(order == 12);
#ifdef LATER
  assert(x == 5);
#endif
}

#ifdef THREADS
void thread0(void) {
  look();
}

void thread1(void) {
  atomic_fetch_add(&x, 1);
}
#else
static void *writer(void *unused) {
  atomic_fetch_add(&x, 1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, writer, NULL);
  look();
  pthread_join(t, NULL);
}
#endif
