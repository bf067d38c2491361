/* A reader that wants to become a writer, twice. */
#include "twin.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *work(void *unused) {
  pthread_rwlock_rdlock(&lock);
  int seen = value;
#ifdef FIXED
  pthread_rwlock_unlock(&lock);
#endif
  pthread_rwlock_wrlock(&lock);
  value = seen + 1;
  pthread_rwlock_unlock(&lock);
  return unused;
}

int main(void) {
  run_both(work, work);
}
