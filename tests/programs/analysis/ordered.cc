// What else orders threads: the guard of a function's static variable, a pipe, a counter that is polled.
// BUILD -DGUARD
// FIND --analyses=robustness: robustness lost=x survived=y
// BUILD -DGUARD -DFREE
// FIND --analyses=robustness --schedule=all: robustness lost=x survived=y
// BUILD -DPIPE
// FIND --analyses=robustness: robustness lost=x survived=y
// BUILD -DPOLL
// FIND --analyses=robustness: robustness lost=x survived=y
// BUILD -DROOM
// CLEAN --analyses=robustness
#include "analysis.h"
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int channel[2];

static int store() {
  m->x = 1; //@x
  return 1;
}

static int tell() {
  char byte = 1;
#ifdef GUARD
  static int once = store();
  return once;
#elif defined PIPE
  return store() + (int)write(channel[1], &byte, 1);
#else
  return store() + (byte == 1 && eventfd_write(channel[0], 1));
#endif
}

static int hear() {
#ifdef GUARD
  return tell();
#elif defined PIPE
  char byte;
  return (int)read(channel[0], &byte, 1);
#elif defined POLL
  struct pollfd p = {channel[0], POLLIN, 0};
  return poll(&p, 1, -1);
#else // that there is room for more does not depend on anybody
  struct pollfd p = {channel[0], POLLOUT, 0};
  return poll(&p, 1, -1);
#endif
}

static void *first(void *unused) {
  tell();
  turn = 1;
  return unused;
}

static void *second(void *unused) {
#if !defined PIPE && !defined FREE
  wait_for(1);
#endif
  hear();
  m->y = 1; //@y
  clwb(&m->y);
  sfence();
  return unused;
}

int main() {
  m = static_cast<words *>(tidemark_region("m", sizeof *m));
  if (tidemark_failures()) {
    long y = m->y, x = m->x;
    tidemark_outcome("%ld %ld", y, x);
    return 0;
  }
#ifdef PIPE
  if (pipe(channel))
    return 1;
#else
  channel[0] = eventfd(0, 0);
#endif
  run_two(first, second);
}
