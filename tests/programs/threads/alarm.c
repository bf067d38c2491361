// An alarm with a handler does not stand in the way as long as its time does not come.  Otherwise nothing can be said,
// whatever came of the execution: what the handler does is not explored.
// RUN: %tidemark_cc %s -o %t
// RUN: for m in sc tso pm; do for i in 0 1; do %tidemark check --model=$m --allow-empty %t $i > %t.out 2>&1 || exit 1; %FileCheck --check-prefix=CLEAN %s < %t.out || exit 1; done; done
// CLEAN: no findings; the search is complete
// CLEAN: note: timers (alarm, setitimer) that are there to end the program do not go off
// RUN: for m in sc pm; do for i in 2 3 4 5; do %tidemark check --model=$m --allow-empty %t $i > %t.out 2>&1; test $? = 3 && %FileCheck --check-prefix=REFUSED %s < %t.out || exit 1; done; done
// REFUSED: a timer (alarm, setitimer) with a handler, whose time {{has come|comes before}}
// RUN: %tidemark check --model=sc %t 6 > %t.out 2>&1; test $? = 3 && %FileCheck --check-prefix=WAITS %s < %t.out
// WAITS: without it every thread waits for ever
// RUN: %tidemark check --model=sc %t 7 > %t.out 2>&1; test $? = 1 && %FileCheck --check-prefix=BAD %s < %t.out
// BAD: error[exit-status]: the program ended with exit status 1
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void too_late(int unused) {
  (void)unused;
  _exit(1);
}

static void *take(void *unused) {
  pthread_mutex_lock(&held);
  pthread_mutex_unlock(&held);
  return unused;
}

int main(int argc, char **argv) {
  int what = argc > 1 ? atoi(argv[1]) : 0;
  pthread_t t;
  struct itimerval five = {.it_value.tv_sec = 5};
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGALRM);
  alarm(5);
  if (what == 5) /* nobody handles it, but it would be pending */
    pthread_sigmask(SIG_BLOCK, &set, NULL);
  else
    signal(SIGALRM, too_late);
  if (what == 6)
    pthread_mutex_lock(&held);
  pthread_create(&t, NULL, take, NULL);
  pthread_join(t, NULL);
  if (what == 1) { /* set again in time */
    sleep(4);
    assert(setitimer(ITIMER_REAL, &five, &five) == 0 && five.it_value.tv_sec == 0);
    sleep(4);
    assert(alarm(0) == 1);
    sleep(9);
  }
  if (what == 2 || what == 4 || what == 5)
    sleep(6);
  if (what == 3)
    pause();
  if (what == 4)
    alarm(0);
  return what == 7;
}
