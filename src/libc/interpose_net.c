/* Pipes, counters and sockets (net.h).  Where schedules are explored or machines fail one by one,
 * sockets are refused and the rest are channels. */
#include "libc/channel_calls.h"
#include "libc/net.h"
#include "process/caller.h"
#include "process/heap.h"
#include "process/stop.h"
#include "process/system_call.h"
#include "process/virtual_clock.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

static int fail(int error) {
  errno = error;
  return -1;
}

/* The socket behind a descriptor; NULL with errno. */
static struct net_object *socket_at(int fd) {
  struct net_object *o = net_at(fd);
  if (!o || o->is_pipe || o->kind == NET_COUNTER || o->kind == NET_SET) {
    errno = o || system_call(SYS_fcntl, fd, F_GETFD) >= 0 ? ENOTSOCK : EBADF;
    return NULL;
  }
  return o;
}

/* A call about sockets: not ours to answer, or refused. */
#define PASS_OR_REFUSE(name, ...) \
  if (!CALLED_BY_PROGRAM()) \
    return REAL(name)(__VA_ARGS__); \
  if (!net_enabled()) \
  stop_refuse(#name)

#define PASS(name, ...) \
  if (!CALLED_BY_PROGRAM() || !net_enabled()) \
  return REAL(name)(__VA_ARGS__)

/* ---- pipes and counters ---- */

static int make_pair(struct net_object *a, struct net_object *b, int fds[2]) {
  int first = net_open(a);
  if (first < 0)
    return -1;
  int second = net_open(b);
  if (second < 0) {
    close(first);
    return fail(EMFILE);
  }
  fds[0] = first;
  fds[1] = second;
  return 0;
}

static int make_pipe(int fds[2], int flags) {
  struct net_object *in = net_new(NET_STREAM, !(flags & O_NONBLOCK));
  struct net_object *out = net_new(NET_STREAM, !(flags & O_NONBLOCK));
  net_join(in, out, false);
  return make_pair(in, out, fds);
}

INTERPOSE int pipe(int fds[2]) {
  PASS_TO_CHANNEL(pipe, fds);
  return make_pipe(fds, 0);
}

INTERPOSE int pipe2(int fds[2], int flags) {
  PASS_TO_CHANNEL(pipe2, fds, flags);
  return make_pipe(fds, flags);
}

INTERPOSE int eventfd(unsigned count, int flags) {
  PASS_TO_CHANNEL(eventfd, count, flags);
  struct net_object *o = net_new(NET_COUNTER, !(flags & EFD_NONBLOCK));
  o->count = count;
  o->one_by_one = flags & EFD_SEMAPHORE;
  return net_open(o);
}

INTERPOSE int eventfd_read(int fd, eventfd_t *value) {
  PASS_TO_CHANNEL(eventfd_read, fd, value);
  return read(fd, value, sizeof *value) == sizeof *value ? 0 : -1;
}

INTERPOSE int eventfd_write(int fd, eventfd_t value) {
  PASS_TO_CHANNEL(eventfd_write, fd, value);
  return write(fd, &value, sizeof value) == sizeof value ? 0 : -1;
}

/* ---- sockets ---- */

/* Only connections; what is sent without one could be lost or come in any order. */
static void check_type(int domain, int type) {
  if ((domain == AF_INET || domain == AF_INET6 || domain == AF_UNIX) &&
      (type & 15) != SOCK_STREAM && (type & 15) != SOCK_SEQPACKET)
    stop_refuse("a socket without a connection (SOCK_DGRAM, ...)");
}

INTERPOSE int socket(int domain, int type, int protocol) {
  PASS_OR_REFUSE(socket, domain, type, protocol);
  check_type(domain, type);
  if (domain != AF_INET && domain != AF_INET6 && domain != AF_UNIX)
    return fail(EAFNOSUPPORT);
  struct net_object *o = net_new(NET_UNCONNECTED, !(type & SOCK_NONBLOCK));
  o->own.where.ss_family = (sa_family_t)domain;
  return net_open(o);
}

INTERPOSE int socketpair(int domain, int type, int protocol, int fds[2]) {
  PASS_TO_CHANNEL(socketpair, domain, type, protocol, fds);
  check_type(domain, type);
  if (domain != AF_UNIX)
    return fail(EOPNOTSUPP);
  struct net_object *a = net_new(NET_STREAM, !(type & SOCK_NONBLOCK));
  struct net_object *b = net_new(NET_STREAM, !(type & SOCK_NONBLOCK));
  net_join(a, b, true);
  return make_pair(a, b, fds);
}

static bool take_address(struct net_address *a, const struct sockaddr *from, socklen_t bytes) {
  if (!from || bytes < sizeof from->sa_family || bytes > sizeof a->where)
    return false;
  memset(a, 0, sizeof *a);
  memcpy(&a->where, from, bytes);
  a->bytes = bytes;
  return true;
}

static int give_address(const struct net_address *a, struct sockaddr *to, socklen_t *bytes) {
  if (!to || !bytes)
    return 0;
  memcpy(to, &a->where, a->bytes < *bytes ? a->bytes : *bytes);
  *bytes = a->bytes;
  return 0;
}

INTERPOSE int bind(int fd, const struct sockaddr *address, socklen_t bytes) {
  PASS_OR_REFUSE(bind, fd, address, bytes);
  struct net_object *o = socket_at(fd);
  struct net_address a;
  if (!o)
    return -1;
  if (!take_address(&a, address, bytes) || o->kind != NET_UNCONNECTED)
    return fail(EINVAL);
  if (net_listener_at(&a, true))
    return fail(EADDRINUSE);
  o->own = a;
  return 0;
}

INTERPOSE int listen(int fd, int backlog) {
  PASS_OR_REFUSE(listen, fd, backlog);
  struct net_object *o = socket_at(fd);
  if (!o)
    return -1;
  if (o->kind == NET_STREAM)
    return fail(EINVAL);
  net_listen(o);
  return 0;
}

/* The other end is there at once, accepted or not. */
INTERPOSE int connect(int fd, const struct sockaddr *address, socklen_t bytes) {
  PASS_OR_REFUSE(connect, fd, address, bytes);
  struct net_object *o = socket_at(fd);
  struct net_address a;
  if (!o)
    return -1;
  if (o->kind != NET_UNCONNECTED)
    return fail(o->kind == NET_STREAM ? EISCONN : EINVAL);
  if (!take_address(&a, address, bytes))
    return fail(EINVAL);
  struct net_object *listener = net_listener_at(&a, false);
  if (!listener)
    return fail(a.where.ss_family == AF_UNIX ? ENOENT : ECONNREFUSED);
  net_connect(o, listener);
  return 0;
}

static int take_connection(int fd, struct sockaddr *address, socklen_t *bytes, int flags) {
  struct net_object *o = socket_at(fd);
  if (!o)
    return -1;
  if (o->kind != NET_LISTENER)
    return fail(EINVAL);
  while (!o->pending) {
    if (!o->waits)
      return fail(EAGAIN);
    net_wait("a connection", 0);
  }
  net_learn(o);
  struct net_object *new = o->pending;
  int got = net_open(new);
  if (got < 0)
    return -1;
  o->pending = new->pending;
  new->pending = NULL;
  new->waits = !(flags & SOCK_NONBLOCK);
  give_address(&new->other, address, bytes);
  return got;
}

INTERPOSE int accept(int fd, struct sockaddr *address, socklen_t *bytes) {
  PASS_OR_REFUSE(accept, fd, address, bytes);
  return take_connection(fd, address, bytes, 0);
}

INTERPOSE int accept4(int fd, struct sockaddr *address, socklen_t *bytes, int flags) {
  PASS_OR_REFUSE(accept4, fd, address, bytes, flags);
  return take_connection(fd, address, bytes, flags);
}

INTERPOSE int getsockname(int fd, struct sockaddr *address, socklen_t *bytes) {
  PASS(getsockname, fd, address, bytes);
  struct net_object *o = socket_at(fd);
  return o ? give_address(&o->own, address, bytes) : -1;
}

INTERPOSE int getpeername(int fd, struct sockaddr *address, socklen_t *bytes) {
  PASS(getpeername, fd, address, bytes);
  struct net_object *o = socket_at(fd);
  if (!o)
    return -1;
  return o->kind == NET_STREAM ? give_address(&o->other, address, bytes) : fail(ENOTCONN);
}

INTERPOSE int shutdown(int fd, int how) {
  PASS_TO_CHANNEL(shutdown, fd, how);
  struct net_object *o = socket_at(fd);
  if (!o)
    return -1;
  if (o->kind != NET_STREAM)
    return fail(ENOTCONN);
  net_shutdown(o, how != SHUT_WR, how != SHUT_RD);
  return 0;
}

/* How fast, how large, when to look whether the other end lives: nothing here depends on it. */
INTERPOSE int setsockopt(int fd, int level, int option, const void *value, socklen_t bytes) {
  PASS(setsockopt, fd, level, option, value, bytes);
  struct net_object *o = socket_at(fd);
  if (!o)
    return -1;
  if (level == SOL_SOCKET && option == SO_RCVTIMEO && bytes >= sizeof(struct timeval)) {
    struct timeval t;
    memcpy(&t, value, sizeof t);
    o->patience = (uint64_t)t.tv_sec * CLOCK_SECOND + (uint64_t)t.tv_usec * 1000;
  }
  return 0;
}

static int option_value(const struct net_object *o, int level, int option) {
  if (level != SOL_SOCKET)
    return 0;
  switch (option) {
  case SO_TYPE:
    return SOCK_STREAM;
  case SO_ACCEPTCONN:
    return o->kind == NET_LISTENER;
  case SO_DOMAIN:
    return o->own.where.ss_family;
  case SO_SNDBUF:
  case SO_RCVBUF:
    return 1 << 18;
  default:
    return 0;
  }
}

INTERPOSE int getsockopt(int fd, int level, int option, void *value, socklen_t *bytes) {
  PASS(getsockopt, fd, level, option, value, bytes);
  struct net_object *o = socket_at(fd);
  if (!o)
    return -1;
  int number = option_value(o, level, option);
  size_t n = *bytes < sizeof number ? *bytes : sizeof number;
  memset(value, 0, *bytes);
  memcpy(value, &number, n);
  return 0;
}

/* ---- sending and receiving ---- */

static ssize_t receive(int fd, void *to, size_t n, int flags) {
  struct net_object *o = socket_at(fd);
  if (!o)
    return -1;
  if (flags & (MSG_OOB | MSG_ERRQUEUE))
    stop_refuse("recv with MSG_OOB");
  bool wait = !(flags & MSG_DONTWAIT), keep = flags & MSG_PEEK;
  ssize_t done = net_read(o, to, n, wait, keep);
  while (flags & MSG_WAITALL && !keep && done > 0 && (size_t)done < n) {
    ssize_t more = net_read(o, (char *)to + done, n - (size_t)done, wait, false);
    if (more <= 0)
      break;
    done += more;
  }
  return done;
}

static ssize_t transmit(int fd, const void *from, size_t n, int flags) {
  struct net_object *o = socket_at(fd);
  return o ? net_write(o, from, n, !(flags & MSG_DONTWAIT)) : -1;
}

INTERPOSE ssize_t recv(int fd, void *to, size_t n, int flags) {
  PASS_TO_CHANNEL(recv, fd, to, n, flags);
  return receive(fd, to, n, flags);
}

INTERPOSE ssize_t __recv_chk(int fd, void *to, size_t n, size_t room, int flags);
ssize_t __recv_chk(int fd, void *to, size_t n, size_t room, int flags) {
  (void)room;
  PASS_TO_CHANNEL(recv, fd, to, n, flags);
  return receive(fd, to, n, flags);
}

INTERPOSE ssize_t recvfrom(int fd, void *to, size_t n, int flags, struct sockaddr *address,
                           socklen_t *bytes) {
  PASS_TO_CHANNEL(recvfrom, fd, to, n, flags, address, bytes);
  if (address && bytes)
    *bytes = 0;
  return receive(fd, to, n, flags);
}

INTERPOSE ssize_t __recvfrom_chk(int fd, void *to, size_t n, size_t room, int flags,
                                 struct sockaddr *address, socklen_t *bytes);
ssize_t __recvfrom_chk(int fd, void *to, size_t n, size_t room, int flags, struct sockaddr *address,
                       socklen_t *bytes) {
  (void)room;
  PASS_TO_CHANNEL(recvfrom, fd, to, n, flags, address, bytes);
  if (address && bytes)
    *bytes = 0;
  return receive(fd, to, n, flags);
}

INTERPOSE ssize_t send(int fd, const void *from, size_t n, int flags) {
  PASS_TO_CHANNEL(send, fd, from, n, flags);
  return transmit(fd, from, n, flags);
}

INTERPOSE ssize_t sendto(int fd, const void *from, size_t n, int flags,
                         const struct sockaddr *address, socklen_t bytes) {
  PASS_TO_CHANNEL(sendto, fd, from, n, flags, address, bytes);
  return transmit(fd, from, n, flags);
}

#define PARTS(call) \
  ssize_t done = 0; \
  for (size_t i = 0; i < m->msg_iovlen; i++) { \
    const struct iovec *part = &m->msg_iov[i]; \
    ssize_t n = call(fd, part->iov_base, part->iov_len, flags | (done ? MSG_DONTWAIT : 0)); \
    if (n < 0) \
      return done ? done : n; \
    done += n; \
    if ((size_t)n < part->iov_len) \
      break; \
  } \
  return done;

INTERPOSE ssize_t sendmsg(int fd, const struct msghdr *m, int flags) {
  PASS_TO_CHANNEL(sendmsg, fd, m, flags);
  if (m->msg_controllen)
    stop_refuse("sendmsg with ancillary data");
  PARTS(transmit)
}

INTERPOSE ssize_t recvmsg(int fd, struct msghdr *m, int flags) {
  PASS_TO_CHANNEL(recvmsg, fd, m, flags);
  m->msg_namelen = 0;
  m->msg_controllen = 0;
  m->msg_flags = 0;
  PARTS(receive)
}

INTERPOSE int ioctl(int fd, unsigned long request, ...) {
  va_list list;
  va_start(list, request);
  void *argument = va_arg(list, void *);
  va_end(list);
  struct net_object *o = CALLED_BY_PROGRAM() ? net_at(fd) : NULL;
  if (!o)
    return REAL(ioctl)(fd, request, argument);
  if (request == FIONBIO)
    o->waits = !*(int *)argument;
  else if (request == FIONREAD)
    *(int *)argument = (int)o->length;
  else
    return fail(ENOTTY);
  return 0;
}

/* ---- names ---- */

struct found {
  struct addrinfo info;
  struct sockaddr_storage where;
};

static bool parse_port(const char *service, unsigned *port) {
  *port = 0;
  for (; service && *service; service++) {
    if (*service < '0' || *service > '9' || *port > 65535)
      return false;
    *port = *port * 10 + (unsigned)(*service - '0');
  }
  return *port <= 65535;
}

/* Names of this machine, and numbers: there is no other.  IPv4, unless IPv6 is asked for. */
static int find_address(const char *node, const char *service, const struct addrinfo *hints,
                        struct addrinfo **result) {
  unsigned port;
  bool six = hints && hints->ai_family == AF_INET6;
  if (!parse_port(service, &port))
    return EAI_SERVICE;
  struct found *f = heap_alloc_zeroed(sizeof *f); /* the program looks at it */
  if (!f)
    return EAI_MEMORY;
  struct sockaddr_in *in = (struct sockaddr_in *)&f->where;
  struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&f->where;
  f->where.ss_family = six ? AF_INET6 : AF_INET;
  void *to = six ? (void *)&in6->sin6_addr : (void *)&in->sin_addr;
  if (six)
    in6->sin6_port = htons((uint16_t)port);
  else
    in->sin_port = htons((uint16_t)port);
  bool passive = hints && hints->ai_flags & AI_PASSIVE;
  const char *here = six                ? (node || !passive ? "::1" : "::")
                     : node || !passive ? "127.0.0.1"
                                        : "0.0.0.0";
  bool own = !node || !strcmp(node, "localhost");
  if (inet_pton(f->where.ss_family, own ? here : node, to) != 1) {
    heap_free(f);
    return EAI_NONAME;
  }
  f->info = (struct addrinfo){.ai_family = f->where.ss_family,
                              .ai_socktype =
                                  hints && hints->ai_socktype ? hints->ai_socktype : SOCK_STREAM,
                              .ai_protocol = hints ? hints->ai_protocol : 0,
                              .ai_addr = (struct sockaddr *)&f->where,
                              .ai_addrlen = six ? sizeof *in6 : sizeof *in};
  *result = &f->info;
  return 0;
}

INTERPOSE int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                          struct addrinfo **result) {
  PASS_OR_REFUSE(getaddrinfo, node, service, hints, result);
  return find_address(node, service, hints, result);
}

INTERPOSE void freeaddrinfo(struct addrinfo *list) {
  if (!CALLED_BY_PROGRAM() || !net_enabled())
    REAL(freeaddrinfo)(list);
  else
    heap_free(list); /* its first member begins the block, and there is no second */
}
