/* Three threads that do the same (--symmetry): which is which does not matter. */
#include "twin.h"
#include <tidemark.h>

#define THREADS 3

static atomic_int sum;

static void *adds(void *unused) {
#ifdef FIXED
  atomic_fetch_add(&sum, 1);
#else
  int seen = atomic_load_explicit(&sum, memory_order_relaxed);
  atomic_store_explicit(&sum, seen + 1, memory_order_relaxed);
#endif
  return unused;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    pthread_create(&threads[i], NULL, adds, NULL);
  for (int i = 0; i < THREADS; i++)
    pthread_join(threads[i], NULL);
  tidemark_outcome("%d", sum);
  assert(sum == THREADS);
}
