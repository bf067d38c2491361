// Event loops that wait with a deadline where there is no timerfd go on; the report notes it.
// RUN: %tidemark_cc -g %s -o %t
// RUN: %tidemark check --model=sc %t 2>&1 | %FileCheck %s
// CHECK: no findings; the search is complete
// CHECK: note: timerfd_create failed: there are no such timers in a checked program
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

static void *loop(void *unused) {
  struct epoll_event event;
  int set = epoll_create1(0);
  assert(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC) < 0 && errno == ENOSYS);
  assert(set >= 0 && epoll_wait(set, &event, 1, 5) == 0);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, loop, NULL);
  pthread_join(thread, NULL);
}
