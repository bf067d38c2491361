/* Waiting for descriptors: poll, select, epoll.  Those of net.h are asked for here, others are the
 * kernel's, which is never waited for: their contents do not change while everybody waits.  Where descriptors are
 * channels, they know how to wait. */
#include "libc/channel_calls.h"
#include "libc/net_watch.h"
#include "process/caller.h"
#include "process/files.h"
#include "process/input.h"
#include "process/stop.h"
#include "process/system_call.h"
#include "process/virtual_clock.h"
#include "thread/thread.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#define MILLISECOND ((unsigned long)1000000)
#define FOR_EVER UINT64_MAX

static int fail(int error) {
  errno = error;
  return -1;
}

static unsigned long deadline_after(uint64_t ns) {
  return ns == FOR_EVER ? 0 : thread_virtual_time() + ns;
}

static uint64_t ns_of(const struct timespec *t) {
  return t ? (uint64_t)t->tv_sec * CLOCK_SECOND + (uint64_t)t->tv_nsec : FOR_EVER;
}

static uint64_t ns_of_ms(int milliseconds) {
  return milliseconds < 0 ? FOR_EVER : (uint64_t)milliseconds * MILLISECOND;
}

/* ---- poll ---- */

static int look(struct pollfd *list, nfds_t count) {
  int ready = 0;
  for (nfds_t i = 0; i < count; i++) {
    struct pollfd *p = &list[i];
    struct net_object *o = net_at(p->fd);
    p->revents = 0;
    if (p->fd == STDIN_FILENO && !o && !input_want())
      stop_refuse(INPUT_TOO_LARGE);
    if (o)
      p->revents = (short)net_ready(o, (unsigned)(unsigned short)p->events | POLLERR | POLLHUP);
    else if (p->fd >= FILES_HOST_MIN)
      p->revents = POLLNVAL;
    else if (p->fd >= 0)
      system_call(SYS_poll, p, 1, 0);
    ready += p->revents != 0;
  }
  return ready;
}

/* To wait for no descriptor at all is the old way to sleep for less than a second. */
static int wait_for(struct pollfd *list, nfds_t count, uint64_t ns) {
  if (!count && ns != FOR_EVER) {
    clock_pause(ns);
    return 0;
  }
  unsigned long deadline = deadline_after(ns);
  for (int ready;;)
    if ((ready = look(list, count)) || !ns || !net_wait("a descriptor", deadline))
      return ready;
}

INTERPOSE int poll(struct pollfd *list, nfds_t count, int milliseconds) {
  PASS_TO_CHANNEL(poll, list, count, milliseconds);
  return wait_for(list, count, ns_of_ms(milliseconds));
}

INTERPOSE int __poll_chk(struct pollfd *list, nfds_t count, int milliseconds, size_t bytes);
int __poll_chk(struct pollfd *list, nfds_t count, int milliseconds, size_t bytes) {
  PASS_TO_CHANNEL(poll, list, count, milliseconds);
  (void)bytes;
  return wait_for(list, count, ns_of_ms(milliseconds));
}

INTERPOSE int ppoll(struct pollfd *list, nfds_t count, const struct timespec *t,
                    const sigset_t *mask) {
  PASS_TO_CHANNEL(ppoll, list, count, t, mask);
  return wait_for(list, count, ns_of(t));
}

/* ---- select ---- */

struct sets {
  fd_set *of[3]; /* reading, writing, exceptions; NULL: none */
};

static const short select_events[3] = {POLLIN, POLLOUT, POLLPRI};
static const short select_answers[3] = {POLLIN | POLLHUP | POLLERR, POLLOUT | POLLERR, POLLPRI};

static int select_for(int count, struct sets s, uint64_t ns) {
  struct pollfd list[FD_SETSIZE];
  nfds_t n = 0;
  int found = 0;
  if (count < 0 || count > FD_SETSIZE)
    return fail(EINVAL);
  for (int fd = 0; fd < count; fd++) {
    short events = 0;
    for (int i = 0; i < 3; i++)
      if (s.of[i] && FD_ISSET(fd, s.of[i]))
        events |= select_events[i];
    if (events)
      list[n++] = (struct pollfd){.fd = fd, .events = events};
  }
  wait_for(list, n, ns);
  for (nfds_t i = 0; i < n; i++)
    if (list[i].revents & POLLNVAL)
      return fail(EBADF);
  for (int i = 0; i < 3; i++)
    if (s.of[i])
      FD_ZERO(s.of[i]);
  for (nfds_t i = 0; i < n; i++)
    for (int k = 0; k < 3; k++)
      if (list[i].events & select_events[k] && list[i].revents & select_answers[k]) {
        FD_SET(list[i].fd, s.of[k]);
        found++;
      }
  return found;
}

INTERPOSE int select(int count, fd_set *in, fd_set *out, fd_set *except, struct timeval *t) {
  PASS_TO_CHANNEL(select, count, in, out, except, t);
  uint64_t ns = t ? (uint64_t)t->tv_sec * CLOCK_SECOND + (uint64_t)t->tv_usec * 1000 : FOR_EVER;
  return select_for(count, (struct sets){{in, out, except}}, ns);
}

INTERPOSE int pselect(int count, fd_set *in, fd_set *out, fd_set *except, const struct timespec *t,
                      const sigset_t *mask) {
  PASS_TO_CHANNEL(pselect, count, in, out, except, t, mask);
  return select_for(count, (struct sets){{in, out, except}}, ns_of(t));
}

/* ---- epoll ---- */

static int new_set(void) {
  return net_open(net_new(NET_SET, true));
}

INTERPOSE int epoll_create(int size) {
  PASS_TO_CHANNEL(epoll_create, size);
  return size > 0 ? new_set() : fail(EINVAL);
}

INTERPOSE int epoll_create1(int flags) {
  PASS_TO_CHANNEL(epoll_create1, flags);
  return new_set();
}

static struct net_object *set_at(int fd) {
  struct net_object *o = net_at(fd);
  return o && o->kind == NET_SET ? o : NULL;
}

INTERPOSE int epoll_ctl(int set, int what, int fd, struct epoll_event *event) {
  PASS_TO_CHANNEL(epoll_ctl, set, what, fd, event);
  if (!set_at(set))
    return fail(net_at(set) ? EINVAL : EBADF);
  if (!net_at(fd) && system_call(SYS_fcntl, fd, F_GETFD) < 0)
    return fail(EBADF);
  return net_watch_control(set_at(set), what, fd, event);
}

static int wait_for_any(int fd, struct epoll_event *to, int room, uint64_t ns) {
  struct net_object *set = set_at(fd);
  if (!set || room <= 0)
    return fail(set || net_at(fd) ? EINVAL : EBADF);
  unsigned long deadline = deadline_after(ns);
  for (int n;;)
    if ((n = net_watch_collect(set, to, room)) || !ns || !net_wait("a descriptor", deadline))
      return n;
}

INTERPOSE int epoll_wait(int set, struct epoll_event *to, int room, int milliseconds) {
  PASS_TO_CHANNEL(epoll_wait, set, to, room, milliseconds);
  return wait_for_any(set, to, room, ns_of_ms(milliseconds));
}

INTERPOSE int epoll_pwait(int set, struct epoll_event *to, int room, int milliseconds,
                          const sigset_t *mask) {
  PASS_TO_CHANNEL(epoll_pwait, set, to, room, milliseconds, mask);
  return wait_for_any(set, to, room, ns_of_ms(milliseconds));
}

INTERPOSE int epoll_pwait2(int set, struct epoll_event *to, int room, const struct timespec *t,
                           const sigset_t *mask) {
  PASS_TO_CHANNEL(epoll_pwait2, set, to, room, t, mask);
  return wait_for_any(set, to, room, ns_of(t));
}
