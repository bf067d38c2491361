/* A thread stores into a block that it has given back itself; the other one has used that, too. */
#include "twin.h"

static int *block;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *uses(void *unused) {
  pthread_mutex_lock(&lock);
  if (block)
    *block = 1;
  pthread_mutex_unlock(&lock);
  return unused;
}

static void *gives_back(void *unused) {
  pthread_mutex_lock(&lock);
  volatile int *b = block;
  block = NULL;
#ifdef FIXED
  *b = 2;
  free((int *)b);
#else
  free((int *)b);
  *b = 2;
#endif
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
  block = malloc(sizeof *block);
  run_both(uses, gives_back);
}
