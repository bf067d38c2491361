// Signals with values (sigqueue) are pending one by one from SIGRTMIN on, and the information about them is kept.  The functions
// of System V.  Wrong clocks.
// RUN: %tidemark_cc -Wno-deprecated-declarations %s -o %t && %t
// RUN: for m in sc tso pm cxl; do %tidemark check --model=$m --allow-empty %t > %t.out 2>&1 || exit 1; %FileCheck %s < %t.out || exit 1; done
// CHECK: no findings; the search is complete
// Nothing is sent to other processes.
// RUN: %tidemark check --model=sc %t 4
// RUN: for i in 1 2 3; do %tidemark check --model=sc %t $i > %t.out 2>&1; test $? = 3 && cat %t.out; done | %FileCheck --check-prefix=OTHER %s
// OTHER: a signal to another process is not supported
// OTHER: a signal to another process is not supported
// OTHER: killpg of another group of processes is not supported
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int handled, sum;

static void add(int sig, siginfo_t *info, void *unused) {
  (void)unused;
  assert(sig == info->si_signo && info->si_pid == getpid() && info->si_uid == getuid());
  handled++;
  sum = sum * 10 + info->si_value.sival_int;
}

static void count(int sig) {
  (void)sig;
  handled++;
}

static void send(int sig, int value) {
  assert(sigqueue(getpid(), sig, (union sigval){.sival_int = value}) == 0);
}

static void values(void) {
  struct sigaction a = {.sa_sigaction = add, .sa_flags = SA_SIGINFO};
  sigset_t two;
  siginfo_t info;
  sigemptyset(&two);
  sigaddset(&two, SIGRTMIN);
  sigaddset(&two, SIGUSR1);
  sigaction(SIGRTMIN, &a, NULL);
  sigaction(SIGUSR1, &a, NULL);
  send(SIGRTMIN, 4);
  assert(handled == 1 && sum == 4);
  pthread_sigmask(SIG_BLOCK, &two, NULL);
  for (int i = 1; i <= 3; i++)
    send(SIGRTMIN, i);
  send(SIGUSR1, 5);
  send(SIGUSR1, 6); /* is pending already */
  assert(handled == 1);
  assert(sigwaitinfo(&two, &info) == SIGUSR1 && info.si_code == SI_QUEUE && info.si_value.sival_int == 5);
  assert(sigtimedwait(&two, &info, &(struct timespec){0}) == SIGRTMIN && info.si_value.sival_int == 1);
  raise(SIGRTMIN); /* those for the thread come first */
  pthread_sigmask(SIG_UNBLOCK, &two, NULL);
  assert(handled == 4 && sum == 4023);
  pthread_sigqueue(pthread_self(), SIGUSR1, (union sigval){.sival_int = 7});
  assert(sum == 40237);
}

static void *take(void *set) {
  siginfo_t info;
  for (int i = 0; i < 2; i++)
    assert(sigwaitinfo(set, &info) == SIGRTMIN && info.si_value.sival_int == i);
  return NULL;
}

static void threads(void) {
  sigset_t one;
  pthread_t t;
  sigemptyset(&one);
  sigaddset(&one, SIGRTMIN);
  pthread_sigmask(SIG_BLOCK, &one, NULL);
  send(SIGRTMIN, 0); /* for the process: whoever waits for it then */
  pthread_create(&t, NULL, take, &one);
  send(SIGRTMIN, 1);
  pthread_join(t, NULL);
}

static void system_v(void) {
  handled = 0;
  assert(sigset(SIGUSR2, count) == SIG_DFL);
  sighold(SIGUSR2);
  assert(kill(getpid(), SIGUSR2) == 0 && raise(SIGUSR2) == 0 && handled == 0);
  sigrelse(SIGUSR2);
  assert(handled == 2 && sigset(SIGUSR2, SIG_HOLD) == count);
  raise(SIGUSR2);
  assert(handled == 2);
  assert(sigset(SIGUSR2, count) == SIG_HOLD && handled == 3);
  sigignore(SIGUSR2);
  raise(SIGUSR2);
  assert(handled == 3 && sighold(1000) == -1 && errno == EINVAL);
}

int main(int argc, char **argv) {
  struct timespec t;
  switch (argc > 1 ? atoi(argv[1]) : 0) {
  case 1:
    return kill(1, SIGURG);
  case 2:
    return sigqueue(1, SIGURG, (union sigval){0});
  case 3:
    return killpg(1, SIGURG);
  case 4: /* not without the checker: it would go to whoever has started the test */
    signal(SIGUSR2, count);
    return killpg(0, SIGUSR2) != 0 || killpg(getpgrp(), SIGUSR2) != 0 || handled != 2;
  }
  values();
  threads();
  system_v();
  assert(clock_gettime(77, &t) == -1 && errno == EINVAL && clock_getres(77, &t) == -1);
  assert(clock_nanosleep(77, 0, &t, NULL) == EINVAL);
}
