/* Threads that are numbered, and orders of accesses by their short names. */
#ifndef THREADS_H
#define THREADS_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define THREADS_MAX 4

/* On x86 these three are a plain mov: only stores may be late, in the thread's store buffer.  What waits
 * for the buffer is a fence, or a locked instruction. */
#define load(p) atomic_load_explicit(p, memory_order_acquire)
#define store(p, v) atomic_store_explicit(p, v, memory_order_release)
#define load_relaxed(p) atomic_load_explicit(p, memory_order_relaxed)
#define full_fence() atomic_thread_fence(memory_order_seq_cst)

/* body(0) ... body(count - 1), each in a thread of its own; returns when all have ended. */
static inline void run_threads(int count, void *(*body)(void *)) {
  pthread_t threads[THREADS_MAX];
  assert(count <= THREADS_MAX);
  for (intptr_t i = 0; i < count; i++)
    pthread_create(&threads[i], NULL, body, (void *)i);
  for (int i = 0; i < count; i++)
    pthread_join(threads[i], NULL);
}

#endif
