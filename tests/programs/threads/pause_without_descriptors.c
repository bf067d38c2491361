/* poll without descriptors is a pause: it takes no time, and others can go on meanwhile.
 *
 * RUN: %tidemark_cc -O1 %s -o %t
 * RUN: for m in sc tso; do timeout 240 %tidemark check --model=$m %t || exit 1; done
 */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int ready;

static void *make_ready(void *unused) {
  (void)unused;
  atomic_store(&ready, 1);
  return NULL;
}

int main(void) {
  pthread_t t;
  time_t begin = time(NULL);
  pthread_create(&t, NULL, make_ready, NULL);
  while (!atomic_load(&ready)) {
    assert(poll(NULL, 0, 10) == 0);
  }
  assert(poll(NULL, 0, 3600 * 1000) == 0);
  assert(time(NULL) - begin >= 3600);
  pthread_join(t, NULL);
}
