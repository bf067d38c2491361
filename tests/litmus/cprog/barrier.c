// CHECK sc: verified
// CHECK rc11: verified
// CHECK aarch64: verified
// CHECK rc11 -DNO_BARRIER: violated
// CHECK sc -DTOO_MANY: verified
// HANG sc -DTOO_MANY
#include <assert.h>
#include <pthread.h>
#ifdef TOO_MANY
enum { SIZE = 3 };
#else
enum { SIZE = 2 };
#endif
static pthread_barrier_t barrier;
static int data[2], last[2], sum[2];
static void *run(void *arg) {
  long i = (long)arg;
  data[i] = 5;
#ifndef NO_BARRIER
  last[i] = pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
#endif
  sum[i] = data[0] + data[1];
#ifndef NO_BARRIER
  pthread_barrier_wait(&barrier);
  data[i] = 6;
#endif
  return NULL;
}
int main(void) {
  pthread_t t[2];
  pthread_barrier_init(&barrier, NULL, SIZE);
  for (long i = 0; i < 2; i++)
    pthread_create(&t[i], NULL, run, (void *)i);
  for (int i = 0; i < 2; i++)
    pthread_join(t[i], NULL);
#ifndef NO_BARRIER
  assert(sum[0] == 10 && sum[1] == 10 && last[0] + last[1] == 1);
#endif
  return 0;
}
