// A handler learns who has sent the signal; sigqueue, which would tell it more, is refused.
// RUN: %tidemark_cc -g %s -o %t && %t
// RUN: %tidemark check --allow-empty %t && %tidemark check --model=sc %t
// RUN: %tidemark check --allow-empty %t queue > %t.out 2>&1; test $? = 3 && %FileCheck %s < %t.out
// CHECK: sigqueue is not supported in a checked program
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

int main(int argc, char **argv) {
  struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
  (void)argv;
  sigaction(SIGUSR1, &action, NULL);
  kill(getpid(), SIGUSR1);
  raise(SIGUSR1);
  if (argc > 1)
    sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = 1});
  tidemark_assert(seen == 2);
}
