/* Who waits for a thread gives it back; to wait for it again, to wait for one that was detached, or for one that is
 * not there yet, is undefined.  glibc says so only if it can tell. */
#include "twin.h"
#include <tidemark.h>

static pthread_t worker;

static void *works(void *argument) {
  return argument;
}

#ifdef FIXED
static void *waits(void *argument) {
  return argument;
}
#else
static void *waits(void *argument) {
  pthread_join(worker, NULL);
  return argument;
}
#endif

int main(void) {
  pthread_t detached, another;
#ifndef FIXED
  if (tidemark_choose(2))
    assert(!pthread_join(worker, NULL)); /* none yet */
#endif
  pthread_create(&detached, NULL, works, NULL);
  pthread_detach(detached);
#ifndef FIXED
  if (tidemark_choose(2))
    return pthread_join(detached, NULL);
  if (tidemark_choose(2))
    return pthread_detach(detached);
#endif
  pthread_create(&worker, NULL, works, NULL);
  pthread_create(&another, NULL, waits, NULL);
  pthread_join(worker, NULL);
  pthread_join(another, NULL);
}
