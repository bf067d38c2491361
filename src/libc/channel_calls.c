/* Calls about channels: pipes, pairs of sockets, event counters, and waiting for descriptors. */
#include "libc/channel_calls.h"
#include "access/access.h"
#include "access/ordinary.h"
#include "event/window.h"
#include "libc/memory.h"
#include "libc/signals.h"
#include "process/caller.h"
#include "process/files_seen.h"
#include "process/input.h"
#include "process/scratch.h"
#include "process/stop.h"
#include "process/system_call.h"
#include "process/virtual_clock.h"
#include "thread/channel.h"
#include "thread/entered.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#define AT_ONCE ((size_t)1 << 20) /* bytes of one call */
#define MILLISECOND (CLOCK_SECOND / 1000)

static int fail(int error) {
  errno = error;
  return -1;
}

/* ---- new ones ---- */

static void noticed(int fd) {
  files_high = fd > files_high ? fd : files_high;
}

static int made_pair(int failed, const int fds[2], int to[2], bool sockets) {
  if (failed)
    return failed;
  noticed(fds[0]);
  noticed(fds[1]);
  if (fiber_current() && sockets)
    channel_open_pair(fds[0], fds[1]);
  else if (fiber_current())
    channel_open(fds[0], fds[1]);
  memory_give(to, fds, 2 * sizeof *to);
  return 0;
}

static void before_making(void) {
  if (fiber_current())
    channel_enter_table();
}

int channels_pipe2(int to[2], int flags) {
  int fds[2];
  before_making();
  return made_pair((int)system_call_errno(SYS_pipe2, fds, flags), fds, to, false);
}

int channels_pipe(int to[2]) {
  return channels_pipe2(to, 0);
}

int channels_socketpair(int domain, int type, int protocol, int to[2]) {
  int fds[2];
  if (CALLED_BY_PROGRAM() && domain != AF_UNIX)
    stop_refuse("socketpair other than AF_UNIX");
  before_making();
  return made_pair((int)system_call_errno(SYS_socketpair, domain, type, protocol, fds), fds, to,
                   true);
}

int channels_eventfd(unsigned value, int flags) {
  before_making();
  int fd = (int)system_call_errno(SYS_eventfd2, value, flags);
  if (fd >= 0)
    noticed(fd);
  if (fd >= 0 && fiber_current())
    channel_open(fd, -1);
  return fd;
}

/* ---- reading and writing ---- */

/* What moves, and how. */
struct transfer {
  int fd;
  enum channel_way way;
  bool message; /* by a socket, */
  int flags;    /* with these */
  char *bytes;
  size_t count;
};

static long move(const struct transfer *t) {
  bool reads = t->way == CHANNEL_READ;
  if (t->message)
    return system_call(reads ? SYS_recvfrom : SYS_sendto, t->fd, t->bytes, t->count,
                       t->flags | MSG_DONTWAIT | MSG_NOSIGNAL, 0, 0);
  return system_call(reads ? SYS_read : SYS_write, t->fd, t->bytes, t->count);
}

/* The kernel does not wait, whoever asked for it. */
static long move_now(const struct transfer *t, int flags) {
  if (t->message || flags & O_NONBLOCK)
    return move(t);
  system_call(SYS_fcntl, t->fd, F_SETFL, flags | O_NONBLOCK);
  long n = move(t);
  system_call(SYS_fcntl, t->fd, F_SETFL, flags);
  return n;
}

/* Does whoever reads want as much as fits?  Messages come one by one all the same. */
static bool takes_all(const struct transfer *t) {
  int type = 0;
  socklen_t bytes = sizeof type;
  return t->flags & MSG_WAITALL && !(t->flags & MSG_PEEK) &&
         system_call(SYS_getsockopt, t->fd, SOL_SOCKET, SO_TYPE, &type, &bytes) == 0 &&
         type == SOCK_STREAM;
}

/* Whoever writes and may wait goes on until all is written, and whoever reads if he asks for that. */
static long carry_out(struct transfer *t) {
  const struct channel *c = channel_of(t->fd);
  int flags = (int)system_call(SYS_fcntl, t->fd, F_GETFL);
  bool waits = !(flags & O_NONBLOCK) && !(t->flags & MSG_DONTWAIT), reads = t->way == CHANNEL_READ;
  long done = 0;
  short way = reads ? POLLIN : POLLOUT;
  if (reads && !waits)
    channel_try(c, POLLIN);
  else
    channel_enter(c, way);
  for (;;) {
    long n = move_now(t, flags);
    if (n >= 0)
      channel_changed(c, way);
    if (n == -EAGAIN && waits) {
      channel_wait(c, way,
                   reads ? "something to read from a descriptor" : "room to write to a descriptor",
                   0);
      continue;
    }
    if (n < 0)
      return done ? done : n;
    done += n;
    bool more = !reads || (n && takes_all(t));
    if (!more || !waits || (size_t)n == t->count)
      return done;
    t->bytes += n;
    t->count -= (size_t)n;
  }
}

/* Memory of the program. */
static void take(void *to, const void *from, size_t n) {
  if (ordinary.on)
    ordinary_read(to, (uintptr_t)from, n, NULL);
  else if (window_has((uintptr_t)from))
    access_read(to, (uintptr_t)from, n, NULL);
  else
    memcpy(to, from, n);
}

static void each_part(const struct iovec *parts, size_t count, char *bytes, size_t n,
                      enum channel_way way) {
  for (size_t i = 0, at = 0; i < count && at < n; i++) {
    size_t part = parts[i].iov_len < n - at ? parts[i].iov_len : n - at;
    if (way == CHANNEL_READ)
      memory_give(parts[i].iov_base, bytes + at, part);
    else
      take(bytes + at, parts[i].iov_base, part);
    at += part;
  }
}

static ssize_t transfer(struct transfer t, const struct iovec *parts, size_t count) {
  size_t total = 0;
  for (size_t i = 0; i < count; i++)
    total += parts[i].iov_len;
  if (t.way == CHANNEL_WRITE && total > AT_ONCE)
    stop_refuse("writing more than a megabyte at once to a pipe, socket or eventfd");
  total = total < AT_ONCE ? total : AT_ONCE;
  char *bytes = scratch_take(total ? total : 1);
  t.bytes = bytes;
  t.count = total;
  if (t.way == CHANNEL_WRITE)
    each_part(parts, count, bytes, total, t.way);
  long n = carry_out(&t);
  if (t.way == CHANNEL_READ && n > 0)
    each_part(parts, count, bytes, (size_t)n < total ? (size_t)n : total, t.way);
  scratch_give_back(bytes, total ? total : 1);
  if (n == -EPIPE && !(t.flags & MSG_NOSIGNAL))
    signals_raise(SIGPIPE);
  return n < 0 ? fail((int)-n) : n;
}

ssize_t channel_io(int fd, const struct iovec *parts, size_t count, enum channel_way way) {
  return transfer((struct transfer){.fd = fd, .way = way}, parts, count);
}

static ssize_t message(int fd, const struct iovec *parts, size_t count, enum channel_way way,
                       int flags) {
  if (!channel_of(fd))
    return fail(system_call(SYS_fcntl, fd, F_GETFD) < 0 ? EBADF : ENOTSOCK);
  return transfer((struct transfer){.fd = fd, .way = way, .message = true, .flags = flags}, parts,
                  count);
}

ssize_t channels_recv(int fd, void *to, size_t n, int flags) {
  return message(fd, &(struct iovec){to, n}, 1, CHANNEL_READ, flags);
}

ssize_t channels_send(int fd, const void *from, size_t n, int flags) {
  return message(fd, &(struct iovec){(void *)from, n}, 1, CHANNEL_WRITE, flags);
}

/* A socket of a pair has no address. */
ssize_t channels_recvfrom(int fd, void *to, size_t n, int flags, struct sockaddr *address,
                          socklen_t *bytes) {
  if (address && bytes)
    *bytes = 0;
  return channels_recv(fd, to, n, flags);
}

ssize_t channels_sendto(int fd, const void *from, size_t n, int flags,
                        const struct sockaddr *address, socklen_t bytes) {
  (void)bytes;
  return address ? fail(EISCONN) : channels_send(fd, from, n, flags);
}

ssize_t channels_recvmsg(int fd, struct msghdr *m, int flags) {
  m->msg_namelen = 0;
  m->msg_controllen = 0;
  m->msg_flags = 0;
  return message(fd, m->msg_iov, m->msg_iovlen, CHANNEL_READ, flags);
}

ssize_t channels_sendmsg(int fd, const struct msghdr *m, int flags) {
  if (m->msg_controllen)
    stop_refuse("sendmsg with control messages");
  return message(fd, m->msg_iov, m->msg_iovlen, CHANNEL_WRITE, flags);
}

int channels_shutdown(int fd, int how) {
  const struct channel *c = fiber_current() ? channel_of(fd) : NULL;
  if (c)
    channel_enter(c, POLLIN | POLLOUT);
  int failed = (int)system_call_errno(SYS_shutdown, fd, how);
  if (c)
    channel_changed(c, POLLIN | POLLOUT);
  return failed;
}

int channels_eventfd_read(int fd, eventfd_t *value) {
  if (!channel_of(fd))
    return fail(EBADF);
  return channel_io(fd, &(struct iovec){value, sizeof *value}, 1, CHANNEL_READ) == sizeof *value
             ? 0
             : -1;
}

int channels_eventfd_write(int fd, eventfd_t value) {
  if (!channel_of(fd))
    return fail(EBADF);
  return channel_io(fd, &(struct iovec){&value, sizeof value}, 1, CHANNEL_WRITE) == sizeof value
             ? 0
             : -1;
}

/* ---- waiting for descriptors ---- */

static unsigned long deadline_in(uint64_t ns) {
  return ns ? thread_virtual_time() + ns : 1;
}

static unsigned long deadline_of(const struct timespec *time) {
  return time ? deadline_in((uint64_t)time->tv_sec * CLOCK_SECOND + (uint64_t)time->tv_nsec) : 0;
}

/* To wait for no descriptor at all is the old way to sleep for less than a second. */
static int wait_for(struct pollfd *list, nfds_t count, unsigned long deadline) {
  bool channels = false;
  for (nfds_t i = 0; i < count; i++) {
    list[i].revents = 0;
    channels |= list[i].fd >= 0 && channel_of(list[i].fd);
    if (list[i].fd == STDIN_FILENO && !input_want())
      stop_refuse(INPUT_TOO_LARGE);
  }
  if (channels)
    return channel_poll(list, count, deadline);
  int ready = count ? (int)system_call_errno(SYS_poll, list, count, 0) : 0;
  if (ready || deadline == 1)
    return ready;
  if (!deadline)
    stop_refuse("waiting for descriptors of which none can change");
  clock_pause(deadline - thread_virtual_time());
  return 0;
}

/* What is found is for the program, and what it wants may be changed by others. */
static int poll_until(struct pollfd *list, nfds_t count, unsigned long deadline) {
  if (!ordinary_concerns() || count - 1 >= FD_SETSIZE)
    return wait_for(list, count, deadline);
  struct pollfd *copy = scratch_take(count * sizeof *list);
  memory_take(copy, list, count * sizeof *list);
  int ready = wait_for(copy, count, deadline);
  for (nfds_t i = 0; i < count; i++)
    memory_give(&list[i].revents, &copy[i].revents, sizeof copy->revents);
  scratch_give_back(copy, count * sizeof *list);
  return ready;
}

int channels_poll(struct pollfd *list, nfds_t count, int milliseconds) {
  return poll_until(list, count,
                    milliseconds < 0 ? 0 : deadline_in((uint64_t)milliseconds * MILLISECOND));
}

/* Nobody sends signals meanwhile. */
int channels_ppoll(struct pollfd *list, nfds_t count, const struct timespec *time,
                   const sigset_t *mask) {
  (void)mask;
  return poll_until(list, count, deadline_of(time));
}

static short wanted(int fd, const fd_set *in, const fd_set *out, const fd_set *other) {
  return (short)((in && FD_ISSET(fd, in) ? POLLIN : 0) | (out && FD_ISSET(fd, out) ? POLLOUT : 0) |
                 (other && FD_ISSET(fd, other) ? POLLPRI : 0));
}

/* A descriptor that is in the set and not ready leaves it. */
static int settle(int fd, fd_set *set, bool ready) {
  if (!set || !FD_ISSET(fd, set))
    return 0;
  if (!ready)
    FD_CLR(fd, set);
  return ready;
}

static size_t bytes_of_set(int count) {
  size_t bits = 8 * sizeof(long);
  return ((size_t)count + bits - 1) / bits * sizeof(long);
}

/* The sets are the program's; the kernel reads and writes words of them. */
static void take_set(fd_set *copy, const fd_set *set, int count) {
  if (set)
    memory_take(copy, set, bytes_of_set(count));
}

static void give_set(fd_set *set, const fd_set *copy, int count) {
  if (set)
    memory_give(set, copy, bytes_of_set(count));
}

static int select_among(int count, fd_set *in, fd_set *out, fd_set *other, unsigned long deadline) {
  struct pollfd list[FD_SETSIZE];
  nfds_t n = 0;
  for (int fd = 0; fd < count; fd++)
    if (wanted(fd, in, out, other))
      list[n++] = (struct pollfd){.fd = fd, .events = wanted(fd, in, out, other)};
  int found = wait_for(list, n, deadline), bits = 0;
  for (nfds_t i = 0; i < n && found >= 0; i++)
    if (list[i].revents & POLLNVAL)
      return fail(EBADF);
  for (nfds_t i = 0; i < n && found >= 0; i++) {
    short r = list[i].revents;
    bits += settle(list[i].fd, in, r & (POLLIN | POLLHUP | POLLERR));
    bits += settle(list[i].fd, out, r & (POLLOUT | POLLERR));
    bits += settle(list[i].fd, other, r & POLLPRI);
  }
  return found < 0 ? found : bits;
}

static int select_until(int count, fd_set *in, fd_set *out, fd_set *other, unsigned long deadline) {
  fd_set copies[3];
  if (count < 0 || count > FD_SETSIZE)
    return fail(EINVAL);
  take_set(&copies[0], in, count);
  take_set(&copies[1], out, count);
  take_set(&copies[2], other, count);
  int found = select_among(count, in ? &copies[0] : NULL, out ? &copies[1] : NULL,
                           other ? &copies[2] : NULL, deadline);
  if (found < 0)
    return found;
  give_set(in, &copies[0], count);
  give_set(out, &copies[1], count);
  give_set(other, &copies[2], count);
  return found;
}

int channels_select(int count, fd_set *in, fd_set *out, fd_set *other, struct timeval *time) {
  uint64_t ns = time ? (uint64_t)time->tv_sec * CLOCK_SECOND + (uint64_t)time->tv_usec * 1000 : 0;
  return select_until(count, in, out, other, time ? deadline_in(ns) : 0);
}

int channels_pselect(int count, fd_set *in, fd_set *out, fd_set *other, const struct timespec *time,
                     const sigset_t *mask) {
  (void)mask;
  return select_until(count, in, out, other, deadline_of(time));
}

/* ---- sets of descriptors ---- */

int channels_epoll_create1(int flags) {
  before_making();
  int fd = (int)system_call_errno(SYS_epoll_create1, flags);
  if (fd >= 0)
    noticed(fd);
  if (fd >= 0 && fiber_current())
    channel_open_set(fd);
  return fd;
}

int channels_epoll_create(int size) {
  return size > 0 ? channels_epoll_create1(0) : fail(EINVAL);
}

int channels_epoll_ctl(int set, int operation, int fd, struct epoll_event *event) {
  const struct channel *s = fiber_current() ? channel_of(set) : NULL;
  const struct channel *c = s ? channel_of(fd) : NULL;
  if (c && channel_is_set(c))
    stop_refuse("a set of descriptors in another one");
  if (fd == STDIN_FILENO && s && !input_want())
    stop_refuse(INPUT_TOO_LARGE);
  if (s)
    channel_enter(s, POLLIN);
  if (c && operation == EPOLL_CTL_ADD)
    channel_join_set(s, c);
  int failed = (int)system_call_errno(SYS_epoll_ctl, set, operation, fd, event);
  if (s)
    channel_changed(s, POLLIN);
  return failed;
}

struct set_look {
  int set, most;
  struct epoll_event *to;
};

static int look_at_set(void *argument) {
  const struct set_look *l = argument;
  return (int)system_call_errno(SYS_epoll_wait, l->set, l->to, l->most, 0);
}

static int wait_for_set(int set, struct epoll_event *to, int most, unsigned long deadline) {
  if (!channel_of(set))
    return fail(EBADF);
  if (most <= 0)
    return fail(EINVAL);
  most = most < FD_SETSIZE ? most : FD_SETSIZE;
  size_t bytes = (size_t)most * sizeof *to;
  struct epoll_event *events = scratch_take(bytes);
  int found = channel_wait_set(set, look_at_set, &(struct set_look){set, most, events}, deadline);
  if (found > 0)
    memory_give(to, events, (size_t)found * sizeof *to);
  scratch_give_back(events, bytes);
  return found;
}

int channels_epoll_wait(int set, struct epoll_event *to, int most, int milliseconds) {
  return wait_for_set(set, to, most,
                      milliseconds < 0 ? 0 : deadline_in((uint64_t)milliseconds * MILLISECOND));
}

int channels_epoll_pwait(int set, struct epoll_event *to, int most, int milliseconds,
                         const sigset_t *mask) {
  (void)mask;
  return channels_epoll_wait(set, to, most, milliseconds);
}

int channels_epoll_pwait2(int set, struct epoll_event *to, int most, const struct timespec *time,
                          const sigset_t *mask) {
  (void)mask;
  return wait_for_set(set, to, most, deadline_of(time));
}
