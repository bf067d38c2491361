// A handler learns who has sent the signal.
// RUN: %tidemark_cc -g %s -o %t && %t
// RUN: %tidemark check --allow-empty %t && %tidemark check --model=sc %t
#include <signal.h>
#include <tidemark.h>
#include <unistd.h>

static int seen;

static void handle(int sig, siginfo_t *info, void *context) {
  (void)context;
  tidemark_assert(sig == SIGUSR1 && info->si_signo == SIGUSR1);
  tidemark_assert(info->si_pid == getpid() && info->si_uid == getuid());
  seen++;
}

int main(void) {
  struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
  sigaction(SIGUSR1, &action, NULL);
  kill(getpid(), SIGUSR1);
  raise(SIGUSR1);
  tidemark_assert(seen == 2);
}
