// EXPECT: segfault 1
// ONLY: pm
// SAYS: on a stack before the failure
#include <pthread.h>
#include <tidemark.h>
static int **pm;
static void *body(void *unused) {
  int local = 7;
  if (*pm)
    return (void *)(long)(**pm != 7);
  *pm = &local;
  return unused;
}
int main(void) {
  pthread_t t;
  void *result;
  pm = tidemark_region("root", 64);
  pthread_create(&t, 0, body, 0);
  pthread_join(t, &result);
  return result != 0;
}
