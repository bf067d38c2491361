// Threads that spin on a flag, atomic or volatile, with or without yielding, let the others run.
// RUN: %tidemark_cc %s -o %t && %t && %tidemark check %t
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int first;
static volatile int second;
static atomic_int third, fourth;

static void *raise_all(void *unused) {
  atomic_store(&first, 1);
  while (atomic_load(&first) != 2)
    ;
  second = 1;
  while (second != 2)
    __builtin_ia32_pause();
  atomic_store_explicit(&third, 1, memory_order_release);
  usleep(1000);
  atomic_store(&fourth, 1);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, raise_all, NULL);
  while (!atomic_load(&first))
    ;
  atomic_store(&first, 2);
  while (!second)
    ;
  second = 2;
  while (!atomic_load_explicit(&third, memory_order_acquire))
    sched_yield();
  while (!atomic_load(&fourth))
    ;
  pthread_join(t, NULL);
  return 0;
}
