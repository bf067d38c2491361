/* Calls about channels (thread/channel.h): pipes, pairs of sockets, event counters, and waiting for descriptors.  They
 * are for where schedules are explored or machines fail one by one; elsewhere such descriptors are the program's own
 * memory (net.h).
 *
 * pre: called by the program; those that may wait, after ENTERED(). */
#ifndef LIBC_CHANNEL_CALLS_H
#define LIBC_CHANNEL_CALLS_H

#include "libc/net.h"
#include "process/caller.h"
#include "thread/entered.h"
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>

/* At the beginning of a function that takes the place of libc's: what is not for net.h goes on here. */
#define PASS_TO_CHANNEL(name, ...) \
  ENTERED(); \
  if (!CALLED_BY_PROGRAM()) \
    return REAL(name)(__VA_ARGS__); \
  if (!net_enabled()) \
  return channels_##name(__VA_ARGS__)

enum channel_way { CHANNEL_READ, CHANNEL_WRITE };

/* As readv and writev; pre: it is a channel. */
ssize_t channel_io(int fd, const struct iovec *parts, size_t count, enum channel_way way);

/* As the functions of that name. */
int channels_pipe2(int fds[2], int flags);
int channels_pipe(int fds[2]);
int channels_socketpair(int domain, int type, int protocol, int fds[2]);
int channels_eventfd(unsigned value, int flags);
ssize_t channels_recv(int fd, void *to, size_t n, int flags);
ssize_t channels_send(int fd, const void *from, size_t n, int flags);
ssize_t channels_recvfrom(int fd, void *to, size_t n, int flags, struct sockaddr *address,
                          socklen_t *bytes);
ssize_t channels_sendto(int fd, const void *from, size_t n, int flags,
                        const struct sockaddr *address, socklen_t bytes);
ssize_t channels_recvmsg(int fd, struct msghdr *m, int flags);
ssize_t channels_sendmsg(int fd, const struct msghdr *m, int flags);
int channels_shutdown(int fd, int how);
int channels_eventfd_read(int fd, eventfd_t *value);
int channels_eventfd_write(int fd, eventfd_t value);
int channels_poll(struct pollfd *list, nfds_t count, int milliseconds);
int channels_ppoll(struct pollfd *list, nfds_t count, const struct timespec *time,
                   const sigset_t *mask);
int channels_select(int count, fd_set *in, fd_set *out, fd_set *other, struct timeval *time);
int channels_pselect(int count, fd_set *in, fd_set *out, fd_set *other, const struct timespec *time,
                     const sigset_t *mask);
int channels_epoll_create1(int flags);
int channels_epoll_create(int size);
int channels_epoll_ctl(int set, int operation, int fd, struct epoll_event *event);
int channels_epoll_wait(int set, struct epoll_event *to, int most, int milliseconds);
int channels_epoll_pwait(int set, struct epoll_event *to, int most, int milliseconds,
                         const sigset_t *mask);
int channels_epoll_pwait2(int set, struct epoll_event *to, int most, const struct timespec *time,
                          const sigset_t *mask);

#endif
