// EXPECT: none 0
// A signal the program sends to itself is a call of its handler.
#include <signal.h>
static volatile sig_atomic_t seen;
static void handler(int sig) {
  seen = sig;
}
int main(void) {
  sigset_t set, old;
  if (signal(SIGUSR1, handler) != SIG_DFL)
    return 1;
  raise(SIGUSR1);
  if (seen != SIGUSR1)
    return 2;
  seen = 0;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, &old);
  raise(SIGUSR1);
  if (seen)
    return 3;
  sigprocmask(SIG_SETMASK, &old, 0);
  return seen != SIGUSR1;
}
