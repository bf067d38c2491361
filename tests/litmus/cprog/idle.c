// Turns of loops that change nothing, and what they access.
// CHECK rc11 -DRACE: violated
// CHECK lkmm -DRACE: violated
// CHECK rc11 -DRACE -DORDER=memory_order_release: verified
// CHECK rc11 -DNESTED: violated
// CHECK rc11 -DPOINTER: violated
// CHECK rc11 -DSECOND: violated
// CHECK aarch64 -DFREED: violated 37
// CHECK aarch64 -DFREED -DORDER=memory_order_release: verified
// CHECK riscv -DFREED: verified
// CHECK sc -DFREED: verified
// CHECK sc -DRACE: verified
#include <stdatomic.h>
#include <stdlib.h>
#ifndef ORDER
#define ORDER memory_order_relaxed
#endif
static atomic_int ready, done;
static int data, *pointer = &data;
static int load(atomic_int *a) { return atomic_load_explicit(a, memory_order_acquire); }
#ifdef FREED
void init(void) { pointer = malloc(sizeof *pointer), *pointer = 3; }
#endif
static void wait(void) {
#ifdef RACE
  while (!load(&ready)) {
    if (data == 7) /* who leaves the loop at once does not look at it */
      load(&ready);
  }
#elif defined NESTED
  for (int i = 0; i < 2; i++)
    while (load(&ready) <= i) load(data ? &ready : &done);
#elif defined POINTER || defined FREED
  int t = 0;
  while (!load(&ready)) {
    (void)t;
    t = *(volatile int *)pointer * 0;
  }
#else
  int turn = 0; /* the first turn changes something */
  while (load(&ready) < 2) {
    if (turn)
      load(data ? &ready : &done);
    turn = 1;
  }
#endif
}
void thread0(void) { wait(), atomic_store_explicit(&done, 1, ORDER); }
void thread1(void) {
  atomic_store(&ready, 2);
  if (load(&done))
#ifdef FREED
    free(pointer);
#else
    data = 5;
#endif
}
