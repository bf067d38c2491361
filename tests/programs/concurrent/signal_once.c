/* A signal that is pending already is not pending twice: two that are sent to a thread can be one to it. */
#include "twin.h"
#include <signal.h>
#include <unistd.h>

static sigset_t wanted;
static atomic_int sent;

static void *takes(void *unused) {
  siginfo_t info;
#ifdef FIXED
  do
    assert(sigwaitinfo(&wanted, &info) == SIGUSR1);
  while (sent < 2);
#else
  for (int i = 0; i < 2; i++)
    assert(sigwaitinfo(&wanted, &info) == SIGUSR1);
#endif
  return unused;
}

static void *sends(void *unused) {
  sent++;
  kill(getpid(), SIGUSR1);
  return unused;
}

int main(void) {
  pthread_t other;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &wanted, NULL);
  pthread_create(&other, NULL, takes, NULL);
  run_both(sends, sends);
  pthread_join(other, NULL);
}
