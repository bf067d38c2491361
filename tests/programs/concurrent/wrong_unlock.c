/* A mutex that is used to tell another thread something: who releases it is not who has it. */
#include "twin.h"
#ifdef FIXED
#include <semaphore.h>
static sem_t told;
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int number;

static void *tells(void *unused) {
  number = 7;
#ifdef FIXED
  sem_post(&told);
#else
  pthread_mutex_unlock(&lock);
#endif
  return unused;
}

static void *uses(void *unused) {
#ifdef FIXED
  sem_wait(&told);
#endif
  pthread_mutex_lock(&lock);
  assert(number == 7);
  pthread_mutex_unlock(&lock);
  return unused;
}

int main(void) {
#ifdef FIXED
  sem_init(&told, 0, 0);
#else
  pthread_mutex_lock(&lock);
#endif
  run_both(tells, uses);
}
