/* A set of descriptors is told of an event once (EPOLLET): whoever does not take all of it then waits for ever. */
#define _GNU_SOURCE
#include "twin.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

static int ends[2], set;

static void *makes(void *unused) {
  assert(write(ends[1], "ab", 2) == 2);
  return unused;
}

static void *takes(void *unused) {
  for (int taken = 0; taken < 2;) {
    struct epoll_event e;
    char byte;
    assert(epoll_wait(set, &e, 1, -1) == 1 && e.data.fd == ends[0]);
#ifdef FIXED
    while (read(ends[0], &byte, 1) == 1)
      taken++;
    assert(errno == EAGAIN);
#else
    taken += read(ends[0], &byte, 1) == 1;
#endif
  }
  return unused;
}

int main(void) {
  assert(pipe2(ends, O_NONBLOCK) == 0);
  set = epoll_create1(0);
  struct epoll_event e = {.events = EPOLLIN | EPOLLET, .data.fd = ends[0]};
  assert(set >= 0 && epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &e) == 0);
  run_both(makes, takes);
}
