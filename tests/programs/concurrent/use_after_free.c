/* One thread looks at a block without saying so, the other one gives it back. */
#include "twin.h"

static int *_Atomic block;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *looks(void *unused) {
#ifdef FIXED
  pthread_mutex_lock(&lock);
#endif
  int *b = atomic_load(&block);
  if (b)
    assert(*b == 1);
#ifdef FIXED
  pthread_mutex_unlock(&lock);
#endif
  return unused;
}

static void *gives_back(void *unused) {
  pthread_mutex_lock(&lock);
  int *b = atomic_exchange(&block, NULL);
  pthread_mutex_unlock(&lock);
  free(b);
  return unused;
}

int main(void) {
  int *b = malloc(sizeof *b);
  *b = 1;
  block = b;
  run_both(looks, gives_back);
}
