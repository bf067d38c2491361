/* One thread takes the signals of the process.  They have to be blocked before it is created: otherwise it can be ended by
 * one before it waits. */
#include "twin.h"
#include <errno.h>
#include <signal.h>
#include <unistd.h>

static sigset_t both;
static int seen;

static void *takes(void *unused) {
  int sig;
  for (int i = 0; i < 2; i++) {
    assert(sigwait(&both, &sig) == 0);
    seen |= sig == SIGUSR1 ? 1 : 2;
  }
  return unused;
}

int main(void) {
  pthread_t taker;
  sigemptyset(&both);
  sigaddset(&both, SIGUSR1);
  sigaddset(&both, SIGUSR2);
#ifdef FIXED
  pthread_sigmask(SIG_BLOCK, &both, NULL);
#endif
  pthread_create(&taker, NULL, takes, NULL);
#ifndef FIXED
  pthread_sigmask(SIG_BLOCK, &both, NULL);
#endif
  kill(getpid(), SIGUSR1);
  pthread_kill(taker, SIGUSR2);
  pthread_join(taker, NULL);
  assert(seen == 3 && pthread_kill(taker, 0) == ESRCH);
}
