// EXPECT: exit-status 1
#include <pthread.h>
#include <stdlib.h>
static void *run(void *unused) {
  (void)unused;
  exit(7);
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, run, NULL);
  pthread_join(t, NULL);
  return 0;
}
