#include "libc/net.h"
#include "access/access.h"
#include "event/event.h"
#include "event/window.h"
#include "libc/net_watch.h"
#include "process/files.h"
#include "process/files_seen.h"
#include "process/system_call.h"
#include "process/world.h"
#include "thread/thread.h"
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/un.h>
#include <unistd.h>

#define BYTES_MAX ((size_t)1 << 20) /* in flight, in one direction */
#define FIRST_PORT 40000            /* for who asks for any */

/* Goes back with the program. */
static struct {
  struct net_object **by_fd; /* FILES_HOST_MIN of them; NULL: there was no object yet */
  struct net_object *listeners;
  struct thread_queue waiting;
  int ports;
} net;

static bool enabled;
static int stand_in = -1; /* survives */

void net_init(bool on) {
  enabled = on;
  world_include(&net, sizeof net);
}

bool net_enabled(void) {
  return enabled;
}

struct net_object *net_at(int fd) {
  return net.by_fd && fd >= 0 && fd < FILES_HOST_MIN ? net.by_fd[fd] : NULL;
}

struct net_object *net_new(enum net_kind kind, bool waits) {
  struct net_object *o = world_alloc(sizeof *o);
  o->kind = kind;
  o->waits = waits;
  return o;
}

static void name(struct net_object *o, int fd) {
  if (!net.by_fd)
    net.by_fd = world_alloc((size_t)FILES_HOST_MIN * sizeof *net.by_fd);
  net.by_fd[fd] = o;
  o->descriptors++;
  files_high = fd > files_high ? fd : files_high;
}

/* An empty set of the kernel's: it can be polled, which tells that the descriptor is open, but neither
 * read nor written, so that what passes by us (a stream of libc's) fails. */
int net_open(struct net_object *o) {
  if (stand_in < 0)
    stand_in = files_to_host((int)system_call_errno(SYS_epoll_create1, 0));
  int fd = (int)system_call_errno(SYS_fcntl, stand_in, F_DUPFD, 0);
  if (fd >= FILES_HOST_MIN) {
    system_call(SYS_close, fd);
    errno = EMFILE;
    return -1;
  }
  if (fd >= 0)
    name(o, fd);
  return fd;
}

static void forget_listener(struct net_object *o) {
  struct net_object **at = &net.listeners;
  while (*at && *at != o)
    at = &(*at)->next;
  if (*at)
    *at = o->next;
  for (struct net_object *p = o->pending; p; p = p->pending)
    net_end(p);
  o->pending = NULL;
}

void net_end(struct net_object *o) {
  o->ended = true;
  o->reads = o->writes = false;
  if (o->peer) {
    o->peer->ended = true;
    o->peer->peer = NULL;
    net_changed(o->peer);
  }
  o->peer = NULL;
}

void net_close_range(int first, int last) {
  for (int fd = first; net.by_fd && fd <= last && fd < FILES_HOST_MIN; fd++) {
    struct net_object *o = net.by_fd[fd];
    net.by_fd[fd] = NULL;
    if (!o || --o->descriptors)
      continue;
    if (o->kind == NET_LISTENER)
      forget_listener(o);
    if (o->kind == NET_STREAM)
      net_end(o);
    for (int set = 0; set < FILES_HOST_MIN; set++)
      if (net.by_fd[set] && net.by_fd[set]->kind == NET_SET)
        net_unwatch(net.by_fd[set], o);
  }
}

void net_dup(int from, int to) {
  if (from == to)
    return;
  net_close_range(to, to);
  if (net_at(from))
    name(net_at(from), to);
}

/* ---- connections ---- */

void net_join(struct net_object *a, struct net_object *b, bool both_ways) {
  a->kind = b->kind = NET_STREAM;
  a->peer = b;
  b->peer = a;
  a->reads = b->writes = true;
  a->writes = b->reads = both_ways;
  a->is_pipe = b->is_pipe = !both_ways;
}

/* A pipe has one direction, so its end means both. */
void net_shutdown(struct net_object *o, bool reading, bool writing) {
  if (reading)
    o->reads = false;
  if (writing && o->writes) {
    o->writes = false;
    if (o->peer) {
      o->peer->ended = true;
      net_changed(o->peer);
    }
  }
  net_changed(o);
}

static unsigned port_of(const struct net_address *a) {
  switch (a->where.ss_family) {
  case AF_INET:
    return ntohs(((const struct sockaddr_in *)&a->where)->sin_port);
  case AF_INET6:
    return ntohs(((const struct sockaddr_in6 *)&a->where)->sin6_port);
  default:
    return 0;
  }
}

static const char *path_of(const struct net_address *a) {
  return a->where.ss_family == AF_UNIX ? ((const struct sockaddr_un *)&a->where)->sun_path : "";
}

/* All addresses are this machine's. */
static bool same_place(const struct net_address *a, const struct net_address *b) {
  bool local = a->where.ss_family == AF_UNIX;
  if (local != (b->where.ss_family == AF_UNIX))
    return false;
  return local ? a->bytes == b->bytes && !memcmp(&a->where, &b->where, a->bytes)
               : port_of(a) == port_of(b);
}

struct net_object *net_listener_at(const struct net_address *a, bool family) {
  struct net_object *l = net.listeners;
  while (l &&
         !(same_place(&l->own, a) && (!family || l->own.where.ss_family == a->where.ss_family)))
    l = l->next;
  return l;
}

static unsigned number(const char *text) {
  unsigned n = 0;
  for (; *text >= '0' && *text <= '9' && n < 65536; text++)
    n = n * 10 + (unsigned)(*text - '0');
  return *text ? 0 : n;
}

struct net_object *net_listener(const char *text) {
  struct net_object *l = net.listeners;
  unsigned port = text ? number(text) : 0;
  while (l && text && !(port ? port_of(&l->own) == port : !strcmp(path_of(&l->own), text)))
    l = l->next;
  return l;
}

static void take_any_port(struct net_address *a) {
  uint16_t port = htons((uint16_t)(FIRST_PORT + net.ports++));
  if (!a->bytes) {
    struct sockaddr_in *in = (struct sockaddr_in *)&a->where;
    in->sin_family = AF_INET;
    in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    a->bytes = sizeof *in;
  }
  if (a->where.ss_family == AF_INET)
    ((struct sockaddr_in *)&a->where)->sin_port = port;
  else if (a->where.ss_family == AF_INET6)
    ((struct sockaddr_in6 *)&a->where)->sin6_port = port;
}

void net_listen(struct net_object *o) {
  if (o->kind == NET_LISTENER)
    return;
  o->kind = NET_LISTENER;
  if (o->own.where.ss_family != AF_UNIX && !port_of(&o->own))
    take_any_port(&o->own);
  struct net_object **at = &net.listeners; /* in the order in which they began to listen */
  while (*at)
    at = &(*at)->next;
  *at = o;
}

void net_connect(struct net_object *client, struct net_object *listener) {
  struct net_object *server = net_new(NET_STREAM, true);
  net_join(client, server, true);
  if (listener->own.where.ss_family != AF_UNIX && !client->own.bytes)
    take_any_port(&client->own);
  server->own = client->other = listener->own;
  server->other = client->own;
  struct net_object **at = &listener->pending;
  while (*at)
    at = &(*at)->pending;
  *at = server;
  net_changed(listener);
}

/* ---- bytes ---- */

/* The queue has room for so many more, in one piece. */
static unsigned char *make_room(struct net_object *o, size_t n) {
  if (o->first + o->length + n > o->capacity) {
    size_t capacity = o->capacity ? o->capacity : 256;
    while (capacity < o->length + n)
      capacity *= 2;
    unsigned char *to = capacity == o->capacity ? o->data : world_alloc(capacity);
    if (o->length)
      memmove(to, o->data + o->first, o->length);
    o->data = to;
    o->capacity = capacity;
    o->first = 0;
  }
  return o->data + o->first + o->length;
}

static size_t room(const struct net_object *o) {
  return o->peer && o->peer->length < BYTES_MAX ? BYTES_MAX - o->peer->length : 0;
}

static unsigned ready(const struct net_object *o) {
  unsigned in = POLLIN | POLLRDNORM, out = POLLOUT | POLLWRNORM;
  switch (o->kind) {
  case NET_UNCONNECTED:
    return out | POLLHUP;
  case NET_LISTENER:
    return o->pending ? in : 0;
  case NET_COUNTER:
    return (o->count ? in : 0) | (o->count < UINT64_MAX - 1 ? out : 0);
  case NET_SET:
    return net_watch_any(o) ? in : 0;
  default:
    break;
  }
  unsigned bits = (o->reads && o->length) || (o->ended && !o->is_pipe) ? in : 0;
  if (o->ended && !o->is_pipe)
    bits |= POLLRDHUP;
  if (!o->peer)
    bits |= o->is_pipe && o->writes ? POLLERR | out : POLLHUP | (o->is_pipe ? 0 : out);
  else if (o->writes && room(o))
    bits |= out;
  return bits;
}

void net_learn(const struct net_object *o) {
  thread_memory.order(EVENT_ACQUIRE, o, 0);
}

void net_changed(struct net_object *o) {
  o->changes++;
  thread_memory.order(EVENT_RELEASE, o, 0);
  while (net.waiting.first)
    thread_wake(net.waiting.first);
}

/* Room to write says nothing of others: it was there from the start. */
unsigned net_ready(const struct net_object *o, unsigned wanted) {
  unsigned bits = ready(o) & wanted;
  if (bits & (unsigned)~(POLLOUT | POLLWRNORM))
    net_learn(o);
  return bits;
}

bool net_wait(const char *what, unsigned long deadline) {
  return thread_wait_in(&net.waiting, NULL, what, deadline);
}

static ssize_t fail(int error) {
  errno = error;
  return -1;
}

static void copy_out(void *to, const void *from, size_t n) {
  if (window_has((uintptr_t)to))
    access_write((uintptr_t)to, from, n, ACCESS_PLAIN, NULL);
  else
    memcpy(to, from, n);
}

static void copy_in(void *to, const void *from, size_t n) {
  if (window_has((uintptr_t)from))
    access_read(to, (uintptr_t)from, n, NULL);
  else
    memcpy(to, from, n);
}

static ssize_t read_counter(struct net_object *o, void *to, size_t n, bool wait) {
  if (n < 8)
    return fail(EINVAL);
  while (!o->count) {
    if (!wait)
      return fail(EAGAIN);
    net_wait("a counter (eventfd)", 0);
  }
  net_learn(o);
  uint64_t value = o->one_by_one ? 1 : o->count;
  o->count -= value;
  net_changed(o);
  copy_out(to, &value, 8);
  return 8;
}

static ssize_t write_counter(struct net_object *o, const void *from, size_t n, bool wait) {
  uint64_t value;
  if (n < 8)
    return fail(EINVAL);
  copy_in(&value, from, 8);
  if (value == UINT64_MAX)
    return fail(EINVAL);
  while (o->count + value < o->count || o->count + value == UINT64_MAX) {
    if (!wait)
      return fail(EAGAIN);
    net_wait("a counter (eventfd)", 0);
    net_learn(o);
  }
  o->count += value;
  net_changed(o);
  return 8;
}

ssize_t net_read(struct net_object *o, void *to, size_t n, bool wait, bool keep) {
  wait = wait && o->waits;
  if (o->kind == NET_COUNTER)
    return read_counter(o, to, n, wait);
  if (o->kind != NET_STREAM)
    return fail(o->kind == NET_SET ? EINVAL : ENOTCONN);
  if (!o->reads)
    return o->is_pipe ? fail(EBADF) : 0;
  unsigned long deadline = o->patience ? thread_virtual_time() + o->patience : 0;
  while (!o->length) {
    if (o->ended)
      net_learn(o);
    if (o->ended || !n)
      return 0;
    if (!wait || !net_wait(o->is_pipe ? "data in a pipe" : "data in a socket", deadline))
      return fail(EAGAIN);
  }
  net_learn(o);
  n = n < o->length ? n : o->length;
  copy_out(to, o->data + o->first, n);
  if (keep)
    return (ssize_t)n;
  o->first = o->length == n ? 0 : o->first + n;
  o->length -= n;
  if (o->peer)
    net_changed(o->peer);
  return (ssize_t)n;
}

void net_send(struct net_object *o, const void *from, size_t n) {
  if (!o->peer)
    return;
  memcpy(make_room(o->peer, n), from, n);
  o->peer->length += n;
  net_changed(o->peer);
}

void (*net_answered)(const struct net_object *reader);

ssize_t net_write(struct net_object *o, const void *from, size_t n, bool wait) {
  wait = wait && o->waits;
  if (o->kind == NET_COUNTER)
    return write_counter(o, from, n, wait);
  if (o->kind != NET_STREAM)
    return fail(o->kind == NET_SET ? EINVAL : ENOTCONN);
  if (!o->writes)
    return fail(o->is_pipe ? EBADF : EPIPE);
  size_t done = 0;
  while (done < n) {
    if (!o->peer)
      return done ? (ssize_t)done : fail(EPIPE);
    size_t now = n - done < room(o) ? n - done : room(o);
    if (now) {
      copy_in(make_room(o->peer, now), (const char *)from + done, now);
      o->peer->length += now;
      net_changed(o->peer);
      done += now;
      if (net_answered)
        net_answered(o->peer);
    } else if (!wait) {
      break;
    } else {
      net_wait(o->is_pipe ? "room in a pipe" : "room in a socket", 0);
      net_learn(o);
    }
  }
  return done || !n ? (ssize_t)done : fail(EAGAIN);
}
