// EXPECT: segfault 1
// A handler that reports crashes does not keep the crash from being found; raising is a call.
#include <signal.h>
#include <stddef.h>
static volatile sig_atomic_t raised;
static void handler(int sig) {
  raised += sig;
}
int main(void) {
  struct sigaction a = {.sa_handler = handler}, before;
  if (sigaction(SIGSEGV, &a, &before) || before.sa_handler != SIG_DFL || signal(SIGILL, handler))
    return 2;
  raise(SIGSEGV);
  if (raised != SIGSEGV)
    return 3;
  return *(volatile int *)NULL;
}
