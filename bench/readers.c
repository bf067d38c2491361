/* One thread stores a word and persists it while K others look at it: each sees it or not, so there are 2^K traces.
 *
 *     tidemark check --schedule=all readers K */
#include <emmintrin.h>
#include <pthread.h>
#include <stdlib.h>
#include <tidemark.h>

#define THREADS_MAX 16

static volatile long *word;

static void *look(void *argument) {
  *(long *)argument = *word;
  return NULL;
}

int main(int argc, char **argv) {
  int readers = argc > 1 ? atoi(argv[1]) : 2;
  pthread_t thread[THREADS_MAX];
  long seen[THREADS_MAX];
  word = tidemark_region("word", sizeof *word);
  if (tidemark_failures()) {
    tidemark_assert(*word == 0 || *word == 1);
    return 0;
  }
  for (int i = 0; i < readers; i++)
    pthread_create(&thread[i], NULL, look, &seen[i]);
  *word = 1;
  _mm_clflush((const void *)word);
  _mm_sfence();
  for (int i = 0; i < readers; i++)
    pthread_join(thread[i], NULL);
  return 0;
}
