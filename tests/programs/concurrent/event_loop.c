/* A loop that waits for a request or the order to stop.  It looks at one descriptor after the other, and what it
 * sees of the second may be newer than what it saw of the first (FIXED: it looks for requests once more before it stops). */
#include "twin.h"
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int requests, stop, done;

static void *asks(void *unused) {
  eventfd_write(requests, 1);
  eventfd_write(stop, 1);
  return unused;
}

static void *serves(void *unused) {
  struct pollfd both[2] = {{.fd = requests, .events = POLLIN}, {.fd = stop, .events = POLLIN}};
  for (;;) {
    eventfd_t count;
    assert(poll(both, 2, -1) > 0);
    bool last = both[1].revents;
#ifdef FIXED
    bool some = last || both[0].revents;
#else
    bool some = both[0].revents;
#endif
    if (some && eventfd_read(requests, &count) == 0)
      done += (int)count;
    if (last)
      return unused;
  }
}

int main(void) {
  requests = eventfd(0, EFD_NONBLOCK);
  stop = eventfd(0, EFD_NONBLOCK);
  run_both(asks, serves);
  assert(done == 1);
}
