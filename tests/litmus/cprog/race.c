// CHECK rc11: violated
// CHECK rc11 -DATOMIC: verified
// CHECK rc11 -DJOIN: verified
// CHECK sc: verified
// CHECK rc11 -DREADS: verified
#include <pthread.h>
#include <stdatomic.h>
#ifdef ATOMIC
static atomic_int x;
#else
static int x;
#endif
static void *run(void *arg) {
#ifdef READS
  (void)x;
  return (void *)(long)x;
#endif
  x = 1;
  return arg;
}
int main(void) {
  pthread_t t;
  x = 3;
  pthread_create(&t, NULL, run, NULL);
#ifdef JOIN
  pthread_join(t, NULL);
#endif
#ifdef READS
  return x;
#endif
  x = 2;
  return 0;
}
