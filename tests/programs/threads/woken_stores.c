/* A thread that was created, or woken up at a barrier, stores and then loads what others stored before: the load cannot be
 * so early that it misses that, whatever its store buffer holds.
 *
 * RUN: %tidemark_cc -g -O1 %s -o %t
 * RUN: for k in created barrier; do %tidemark check --model=sc --analyses=store-buffers %t $k 2>&1 | %FileCheck %s || exit 1; done
 * CHECK: no findings; the search is complete
 *
 * Without that it can.
 * RUN: %tidemark check --model=sc --analyses=store-buffers %t neither > %t.txt 2>&1; test $? = 1
 * RUN: %FileCheck --check-prefix=UNSAFE %s < %t.txt
 * UNSAFE: error[store-buffer]
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static _Atomic long x, y;
static pthread_barrier_t barrier;
static const char *kind;

static void *stores_and_loads(void *unused) {
  if (!strcmp(kind, "barrier"))
    pthread_barrier_wait(&barrier);
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  return atomic_load_explicit(&x, memory_order_relaxed) > 2 ? &barrier : unused;
}

static void *looks(void *unused) {
  return atomic_load(&y) > 1 ? &barrier : unused;
}

static void *stores(void *unused) {
  atomic_store_explicit(&x, 2, memory_order_relaxed);
  if (!strcmp(kind, "barrier"))
    pthread_barrier_wait(&barrier);
  else if (atomic_load_explicit(&y, memory_order_relaxed) > 1)
    return &barrier;
  return unused;
}

int main(int count, char **arguments) {
  pthread_t t[3];
  int created = 0;
  kind = arguments[count - 1];
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&t[created++], NULL, looks, NULL);
  if (!strcmp(kind, "created"))
    stores(NULL);
  pthread_create(&t[created++], NULL, stores_and_loads, NULL);
  if (strcmp(kind, "created") != 0)
    pthread_create(&t[created++], NULL, stores, NULL);
  while (created > 0)
    pthread_join(t[--created], NULL);
}
