/* A loop that waits for a flag and looks at the clock, in a function of its own, gives up when it is late; one that only
 * notes the time waits all the same.
 *
 * RUN: for w in 500 5000 5000000 100000000000; do \
 * RUN:   %tidemark_cc -O1 -DWAIT=${w}l %s -o %t && %tidemark check --model=sc --json=%t.json %t || exit 1; \
 * RUN:   grep -q '"late": ' %t.json && grep -q '"in time": ' %t.json || { echo "wait $w"; exit 1; }; done
 * RUN: %tidemark_cc -O1 %s -o %t.notes && %tidemark check --model=sc %t.notes
 * RUN: %tidemark_cc -O1 -DNEVER %s -o %t.never && ! %tidemark check --model=sc %t.never 2> %t.log
 * RUN: grep -q 'error.hang' %t.log
 */
#include <pthread.h>
#include <stdatomic.h>
#include <tidemark.h>
#include <time.h>

static atomic_int flag;
static atomic_long noted;

__attribute__((noinline)) static long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000l + t.tv_nsec;
}

static void *waits(void *unused) {
#ifdef WAIT
  long end = now() + WAIT;
  while (!atomic_load(&flag))
    if (now() > end) {
      tidemark_outcome("late");
      return unused;
    }
  tidemark_outcome("in time");
#else
  long begin = now();
  while (!atomic_load(&flag))
    if (now() < begin)
      atomic_store(&noted, 1);
#endif
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, waits, NULL);
#ifndef NEVER
  atomic_store(&flag, 1);
#endif
  pthread_join(t, NULL);
}
