/* What a call of pthread, C11 threads, signals or descriptors gives to its caller is stored in memory like anything
 * else: another thread that looks there sees what was there before or what is there now, and races.
 *
 * RUN: %tidemark_cc -O1 -D_GNU_SOURCE %s -o %t
 * RUN: cd %T && for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18; do \
 * RUN:   %t $i || { echo "case $i, not checked"; exit 1; }; \
 * RUN:   %tidemark check --model=sc %t $i > %t.log 2>&1; test $? = 1 || { echo "case $i"; exit 1; }; \
 * RUN:   grep -q 'error.data-race' %t.log || { echo "no race in case $i"; exit 1; }; \
 * RUN:   %tidemark check --model=tso %t $i > %t.log 2>&1 || { echo "case $i, tso"; exit 1; }; \
 * RUN:   grep -q 'x 0$' %t.log && grep -q 'x 1$' %t.log || { echo "one order of case $i"; exit 1; }; \
 * RUN: done
 * RUN: for m in sc tso; do %tidemark check --model=$m %t own || exit 1; done
 * RUN: %tidemark check --model=sc --analyses=store-buffers --no-data-races %t 0
 */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <threads.h>
#include <tidemark.h>
#include <time.h>
#include <unistd.h>

static union {
  pthread_t thread;
  void *pointer;
  int number;
  pthread_key_t key;
  tss_t c11_key;
  sigset_t set;
  struct sigaction action;
  struct timespec time;
  struct pollfd poll;
  fd_set descriptors;
  struct epoll_event event;
  eventfd_t count;
  siginfo_t info;
  struct sched_param parameters;
  char name[16];
  int pair[2];
} shared;
static int which, fds[2];
static sem_t semaphore;

static void *five(void *unused) {
  return unused ? unused : (void *)5;
}

static int five_too(void *unused) {
  return (int)(long)five(unused);
}

static void threads(void) {
  pthread_t t;
  thrd_t c11;
  switch (which) {
  case 0:
    pthread_create(&shared.thread, NULL, five, NULL);
    pthread_join(shared.thread, NULL);
    break;
  case 1:
    pthread_create(&t, NULL, five, NULL);
    pthread_join(t, &shared.pointer);
    break;
  case 2:
    thrd_create(&c11, five_too, NULL);
    thrd_join(c11, &shared.number);
    break;
  case 3:
    pthread_key_create(&shared.key, NULL);
    break;
  case 4:
    tss_create(&shared.c11_key, NULL);
    break;
  case 5:
    sem_getvalue(&semaphore, &shared.number);
    break;
  case 6:
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &shared.number);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &shared.number);
    break;
  case 7:
    pthread_getname_np(pthread_self(), shared.name, sizeof shared.name);
    break;
  case 8:
    pthread_getschedparam(pthread_self(), &which, &shared.parameters);
    break;
  }
}

static void signals(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  switch (which) {
  case 9:
    raise(SIGUSR1);
    sigwait(&set, &shared.number);
    break;
  case 10:
    pthread_sigmask(SIG_BLOCK, NULL, &shared.set);
    break;
  case 11:
    sigaction(SIGUSR1, NULL, &shared.action);
    break;
  case 12:
    raise(SIGUSR1);
    sigwaitinfo(&set, &shared.info);
    break;
  }
}

static void descriptors(void) {
  int e = epoll_create1(0);
  struct epoll_event wanted = {.events = EPOLLIN, .data.u64 = 1};
  switch (which) {
  case 13:
    assert(pipe(shared.pair) == 0);
    break;
  case 14:
    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, shared.pair) == 0);
    break;
  case 15:
    assert(poll(&shared.poll, 1, 0) == 1);
    break;
  case 16:
    assert(select(fds[0] + 1, &shared.descriptors, NULL, NULL, &(struct timeval){0}) == 0);
    break;
  case 17:
    assert(epoll_ctl(e, EPOLL_CTL_ADD, fds[0], &wanted) == 0 &&
           epoll_wait(e, &shared.event, 1, 0) == 1);
    break;
  case 18:
    nanosleep(&(struct timespec){0, 1}, &shared.time);
    break;
  }
  close(e);
}

static void *calls(void *unused) {
  threads();
  signals();
  descriptors();
  return unused;
}

/* Before the call. */
static void prepare(void) {
  memset(&shared,
         which == 3 || which == 4 || which == 5 || which == 7 || which == 8 || which == 11 ||
                 which == 18
             ? 0xff
             : 0,
         sizeof shared);
  assert(pipe(fds) == 0 && sem_init(&semaphore, 0, 0) == 0);
  if (which == 15 || which == 17)
    assert(write(fds[1], "a", 1) == 1);
  if (which == 15)
    shared.poll = (struct pollfd){fds[0], POLLIN, 0};
  if (which == 16)
    FD_SET(fds[0], &shared.descriptors);
}

/* The first bytes that the call changes. */
static int look(void) {
  switch (which) {
  case 0:
    return shared.thread != 0;
  case 3:
    return shared.key != (pthread_key_t)-1;
  case 4:
    return shared.c11_key != (tss_t)-1;
  case 5:
  case 7:
  case 8:
    return shared.number != -1;
  case 11:
    return shared.action.sa_handler == SIG_DFL;
  case 15:
    return shared.poll.revents != 0;
  case 16:
    return !FD_ISSET(fds[0], &shared.descriptors);
  case 18:
    return shared.time.tv_sec == 0;
  default:
    return shared.number != 0;
  }
}

/* A thread knows its own handle where its creator wants it, without waiting. */
static void *knows_itself(void *own) {
  assert(pthread_equal(*(pthread_t *)own, pthread_self()));
  return NULL;
}

static void *creates(void *own) {
  static pthread_t t;
  pthread_create(&t, NULL, knows_itself, &t);
  pthread_join(t, NULL);
  return knows_itself(own);
}

int main(int argc, char **argv) {
  static pthread_t t;
  if (argc > 1 && !strcmp(argv[1], "own")) {
    pthread_create(&t, NULL, creates, &t);
    pthread_join(t, NULL);
    return 0;
  }
  which = argc > 1 ? atoi(argv[1]) : 0;
  prepare();
  pthread_create(&t, NULL, calls, NULL);
  tidemark_outcome("%d", look());
  pthread_join(t, NULL);
}
