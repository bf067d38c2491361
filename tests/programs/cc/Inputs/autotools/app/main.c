#include "config.h"

#include "counter.h"
#include <pthread.h>
#include <stdio.h>
#include <tidemark.h>

static long promised; /* what the outside world was told before the failure is in the second cell */

static void *work(void *argument) {
  long *counter = argument;
  promised = counter_next(counter);
  return counter_last == promised ? argument : NULL;
}

int main(void) {
  long *counter = counter_open();
  long *told = tidemark_region("told", sizeof *told);
  tidemark_assert(*told <= *counter);
  pthread_t thread;
  void *is_same;
  if (pthread_create(&thread, NULL, work, counter) || pthread_join(thread, &is_same))
    return 1;
  *told = promised;
  printf("%s %s: %ld, %s\n", PACKAGE_NAME, PACKAGE_VERSION, promised, is_same ? "same" : "other");
  return is_same && counter_last == 0 ? 0 : 1;
}
