/* Four threads count, and nobody looks at the number before the end: one order is enough for that.  But to count is no
 * handshake.  The mistake: the reader takes it that the writer has counted first; only if it has seen the flag before,
 * in which case the writer has, the data are there. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define COUNTING 2

static atomic_int count, flag;
static int data;

static void *writes(void *unused) {
  data = 1;
  atomic_fetch_add(&count, 1);
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  return unused;
}

static void *reads(void *unused) {
#ifdef FIXED
  int seen = atomic_load_explicit(&flag, memory_order_relaxed);
  atomic_fetch_add(&count, 1);
#else
  atomic_fetch_add(&count, 1);
  int seen = atomic_load_explicit(&flag, memory_order_relaxed);
#endif
  if (seen)
    assert(data == 1);
  return unused;
}

static void *counts(void *unused) {
  count++;
  __asm__("lock addl %1, %0" : "+m"(count) : "r"(1));
  atomic_fetch_sub_explicit(&count, 1, memory_order_relaxed);
  return unused;
}

int main(void) {
  pthread_t threads[2 + COUNTING];
  pthread_create(&threads[0], NULL, writes, NULL);
  pthread_create(&threads[1], NULL, reads, NULL);
  for (int i = 0; i < COUNTING; i++)
    pthread_create(&threads[2 + i], NULL, counts, NULL);
  for (int i = 0; i < 2 + COUNTING; i++)
    pthread_join(threads[i], NULL);
  assert(count == 2 + COUNTING);
  return 0;
}
