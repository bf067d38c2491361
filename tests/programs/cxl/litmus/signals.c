// OPTIONS: --failures=0
// OUTCOMES: 0 1 + 1 default
// COUNTS: 1 executions, 1 runs, 0 failure points
// What a machine does about a signal is its own affair: the handler of one is not that of another.
#include "../cxl.h"
#include <signal.h>

static int handled;

static void handle(int sig) {
  handled += sig == SIGUSR1;
}

int main(void) {
  if (tidemark_machine() == 0) {
    signal(SIGUSR1, handle);
    raise(SIGUSR1);
    X = 1;
    SHOW("0 %d", handled);
    yield_rounds(2);
    tidemark_assert(handled == 1);
    return 0;
  }
  yield_rounds(1);
  struct sigaction now;
  sigaction(SIGUSR1, NULL, &now);
  SHOW("1 %s", now.sa_handler == SIG_DFL ? "default" : "handled");
  signal(SIGUSR1, SIG_IGN);
  raise(SIGUSR1);
}
