/* PROG N: N threads take one lock, a word of persistent memory, by compare-and-swap, and yield while they have to wait.
 * Who comes first, second, ... are N! traces; compilers copy the first attempt, which may be
 * in vain then while any of those before hold the lock: (N!)^2. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <tidemark.h>

#define THREADS_MAX 8

struct root {
  _Alignas(64) _Atomic long lock;
  _Alignas(64) long count;
};

static void *add_one(void *argument) {
  struct root *root = argument;
  bool taken;
  do {
    long expected = 0;
    taken = atomic_compare_exchange_strong(&root->lock, &expected, 1);
    if (!taken)
      sched_yield();
  } while (!taken);
  root->count++;
  atomic_store_explicit(&root->lock, 0, memory_order_release);
  return NULL;
}

int main(int argc, char **argv) {
  int threads = argc == 2 ? atoi(argv[1]) : 0;
  struct root *root = tidemark_region("root", sizeof *root);
  pthread_t thread[THREADS_MAX];
  if (threads < 1 || threads > THREADS_MAX || !root)
    return 2;
  if (tidemark_failures() > 0)
    return 0;
  for (int i = 0; i < threads; i++)
    pthread_create(&thread[i], NULL, add_one, root);
  for (int i = 0; i < threads; i++)
    pthread_join(thread[i], NULL);
  tidemark_assert(root->count == threads);
  return 0;
}
