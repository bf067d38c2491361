/* The program for every lock of two threads: both go through the critical section ROUNDS times. */
#ifndef MUTEX_H
#define MUTEX_H

#include "threads.h"

#ifndef ROUNDS
#define ROUNDS 1
#endif
#define THREADS 2

static void lock(int me);
static void unlock(int me);

static int counter; /* guarded by the lock */

static void *visit(void *number) {
  for (int round = 0; round < ROUNDS; round++) {
    lock((int)(intptr_t)number);
    counter++;
    unlock((int)(intptr_t)number);
  }
  return NULL;
}

int main(void) {
  run_threads(THREADS, visit);
  assert(counter == THREADS * ROUNDS);
}

#endif
