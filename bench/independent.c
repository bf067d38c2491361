/* K threads that have nothing to do with each other: each stores to a line of its own, persists it, and says so in
 * a second one.  The recovery looks at one pair after the other and forgets it.
 *
 *     tidemark check --schedule=all independent K */
#include <emmintrin.h>
#include <pthread.h>
#include <stdlib.h>
#include <tidemark.h>

#define THREADS_MAX 64

static struct pair {
  _Alignas(64) long data;
  _Alignas(64) long valid;
} * pairs;

static void persist(void *p) {
  _mm_clflush(p);
  _mm_sfence();
}

static void *run(void *argument) {
  struct pair *p = argument;
  p->data = 1;
  persist(&p->data);
  p->valid = 1;
  persist(&p->valid);
  return NULL;
}

int main(int argc, char **argv) {
  int threads = argc > 1 ? atoi(argv[1]) : 2;
  pairs = tidemark_region("pairs", sizeof *pairs * THREADS_MAX);
  if (tidemark_failures()) {
    for (int i = 0; i < threads; i++)
      tidemark_assert(!pairs[i].valid || pairs[i].data);
    return 0;
  }
  pthread_t thread[THREADS_MAX];
  for (int i = 0; i < threads; i++)
    pthread_create(&thread[i], NULL, run, &pairs[i]);
  for (int i = 0; i < threads; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
