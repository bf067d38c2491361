/* Who has waited for the end of a thread, with a deadline or by asking again and again, knows what it has done; who gave
 * up does not. */
#define _GNU_SOURCE
#include "twin.h"
#include <errno.h>
#include <time.h>

static int done;

static void *works(void *unused) {
  done = 1;
  return unused;
}

int main(void) {
  pthread_t one, two;
  struct timespec soon;
  pthread_create(&one, NULL, works, NULL);
  clock_gettime(CLOCK_REALTIME, &soon);
  soon.tv_sec++;
  int failed = pthread_timedjoin_np(one, NULL, &soon);
#ifdef FIXED
  if (failed)
    pthread_join(one, NULL);
#endif
  done = 2;
  pthread_create(&two, NULL, works, NULL);
  while (pthread_tryjoin_np(two, NULL) == EBUSY)
    ;
  assert(done == 1 || failed);
}
