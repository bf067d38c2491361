/* Two threads take two locks in either order; a third one looks at what one of them stores in between, and takes a lock.
 *
 * In the part of the search in which that look may not come first, the other two can come to a deadlock before it may: then
 * nobody goes on, and that the locks could have been taken in another order must be found out from those who wait. */
#include <pthread.h>
#include <stdio.h>
#include <tidemark.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static long *stored;

static void *look(void *unused) {
  if (stored[0])
    stored[8] = 1;
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  return unused;
}

static void *a_then_b(void *unused) {
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return unused;
}

static void *b_then_a(void *unused) {
  pthread_mutex_lock(&b);
  pthread_mutex_lock(&a);
  stored[0] = 1;
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return unused;
}

int main(void) {
  void *(*const bodies[3])(void *) = {look, a_then_b, b_then_a};
  pthread_t threads[3];
  stored = tidemark_region("stored", 4096);
  if (tidemark_failures()) {
    tidemark_outcome("%ld %ld", stored[0], stored[8]);
    return 0;
  }
  for (int i = 0; i < 3; i++)
    pthread_create(&threads[i], NULL, bodies[i], NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
