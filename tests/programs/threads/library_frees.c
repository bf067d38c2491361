/* What libc frees in the middle of a function, with a lock of its own held, is no place for others to go on.
 *
 * RUN: %tidemark_cc -O1 %s -o %t && %tidemark check --model=sc --schedule=random --runs=100 %t
 */
#include <pthread.h>
#include <stdlib.h>

static void *set(void *unused) {
  setenv("TIDE", "1", 1);
  setenv("MARK", "2", 1);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, set, NULL);
  pthread_create(&b, NULL, set, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}
