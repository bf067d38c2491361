/* Words of persistent memory on cache lines of their own, and what is done with them. */
#ifndef TESTS_ANALYSIS_H
#define TESTS_ANALYSIS_H

#include <immintrin.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <tidemark.h>

struct words {
  long x, pad_x[7];
  long y, pad_y[7];
  long z, pad_z[7];
};

static struct words *m;

#define clflush(p) _mm_clflush(p)
#define sfence() _mm_sfence()
#define clwb(p) _mm_clwb(p)

/* Threads take turns in an order that the test chooses, without any synchronisation that would
 * order them: a plain variable in ordinary memory. */
static int turn;
static inline void wait_for(int n) {
  while (turn != n)
    sched_yield();
}

static inline void run_two(void *(*a)(void *), void *(*b)(void *)) {
  pthread_t first, second;
  pthread_create(&first, NULL, a, NULL);
  pthread_create(&second, NULL, b, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
}

#endif
