// Spin, ticket and test-and-test-and-set locks, three threads; what each order is for.
// CHECK sc: verified
// CHECK x86tso: verified
// CHECK rc11: verified
// CHECK aarch64: verified
// CHECK riscv: verified
// CHECK lkmm: verified
// CHECK rc11 -DTICKET: verified
// CHECK aarch64 -DTICKET: verified
// CHECK riscv -DTICKET: verified
// CHECK rc11 -DTTAS: verified
// CHECK aarch64 -DTTAS: verified
// CHECK rc11 -DACQUIRE=memory_order_relaxed: violated
// CHECK rc11 -DTICKET -DRELEASE=memory_order_relaxed: violated
// CHECK aarch64 -DRELEASE=memory_order_relaxed: violated
// CHECK aarch64 -DTICKET -DACQUIRE=memory_order_relaxed: violated
// CHECK aarch64 -DTTAS -DACQUIRE=memory_order_relaxed: violated
// CHECK riscv -DRELEASE=memory_order_relaxed: violated
// CHECK x86tso -DRELEASE=memory_order_relaxed -DACQUIRE=memory_order_relaxed: verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef ACQUIRE
#define ACQUIRE memory_order_acquire
#endif
#ifndef RELEASE
#define RELEASE memory_order_release
#endif
static atomic_uint word, next;
static int count;
static void lock(void) {
#if defined TICKET
  unsigned mine = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
  while (atomic_load_explicit(&word, ACQUIRE) != mine) {
  }
#elif defined TTAS
  for (;;) {
    while (atomic_load_explicit(&word, memory_order_relaxed)) {
    }
    unsigned free = 0;
    if (atomic_compare_exchange_weak_explicit(&word, &free, 1, ACQUIRE, memory_order_relaxed))
      return;
  }
#else
  while (atomic_exchange_explicit(&word, 1, ACQUIRE)) {
  }
#endif
}
static void unlock(void) {
#ifdef TICKET
  unsigned now = atomic_load_explicit(&word, memory_order_relaxed);
  atomic_store_explicit(&word, now + 1, RELEASE);
#else
  atomic_store_explicit(&word, 0, RELEASE);
#endif
}
static void *run(void *arg) {
  lock();
  count++;
  unlock();
  return arg;
}
int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; i++)
    pthread_create(&t[i], NULL, run, NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], NULL);
  assert(count == 3);
  return 0;
}
