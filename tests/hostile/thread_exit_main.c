// EXPECT: none 0
// main leaves with pthread_exit; the program goes on until the last thread ends.
#include <pthread.h>
#include <stdlib.h>
static void *run(void *unused) {
  (void)unused;
  return NULL;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, run, NULL);
  pthread_detach(t);
  pthread_exit(NULL);
}
