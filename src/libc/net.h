/* Pipes, sockets, counters (eventfd) and sets of descriptors (epoll) of the program.
 *
 * The kernel knows none of them: a failure, a checkpoint or the comparison of two states would not
 * reach what it keeps.  To it such a descriptor is a stand-in that can be neither read nor written.
 * Sockets are streams between threads of the program, or to the client that a script describes
 * (net_client.h).  Whoever waits does so as for a lock.
 *
 * World memory: all of it goes back with the program. */
#ifndef LIBC_NET_H
#define LIBC_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

enum net_kind {
  NET_UNCONNECTED, /* a socket, as socket() gives it */
  NET_STREAM,      /* an end of a pipe or of a connection */
  NET_LISTENER,
  NET_COUNTER,
  NET_SET,
};

struct net_address {
  struct sockaddr_storage where;
  socklen_t bytes; /* 0: none */
};

struct net_object {
  enum net_kind kind;
  int descriptors; /* that name it; 0 also while a connection is not accepted */
  bool waits;      /* not O_NONBLOCK */
  bool reads, writes;
  bool ended;          /* nobody sends anything any more */
  bool is_pipe;        /* and not a socket */
  uint64_t changes;    /* counts what a watch for edges wants to hear of */
  uint64_t patience;   /* ns that receiving waits at most; 0: for ever */
  unsigned char *data; /* received: `length` bytes from `first` on */
  size_t first, length, capacity;
  struct net_object *peer; /* NULL: gone, or never there */
  struct net_address own, other;
  struct net_object *pending, *next; /* not accepted yet, oldest first; the next listener */
  uint64_t count;                    /* NET_COUNTER */
  bool one_by_one;                   /* EFD_SEMAPHORE */
  struct net_watch *watches;         /* NET_SET */
};

/* Before world_seal.  Not where schedules are explored, or machines fail: there sockets are refused, and the rest are
 * channels (channel_calls.h). */
void net_init(bool enabled);
bool net_enabled(void);

/* pre: on a fiber.  NULL: the descriptor is something else. */
struct net_object *net_at(int fd);

struct net_object *net_new(enum net_kind kind, bool waits);
int net_open(struct net_object *o); /* a new descriptor of it, or -1 with errno */
void net_close_range(int first, int last);
void net_dup(int from, int to);

/* Two streams that are each other's end; the first reads and the second writes, or both do both. */
void net_join(struct net_object *a, struct net_object *b, bool both_ways);
/* Nobody can use it any more: whoever is at the other end notices. */
void net_end(struct net_object *o);
void net_shutdown(struct net_object *o, bool reading, bool writing);

/* NULL: nobody listens there, or (text NULL) anywhere.  A port, or the path of a UNIX socket. */
struct net_object *net_listener(const char *text);
/* family: for IPv4, or for IPv6; otherwise either will do. */
struct net_object *net_listener_at(const struct net_address *a, bool family);
void net_listen(struct net_object *o);
/* The client's end of a new connection. */
void net_connect(struct net_object *client, struct net_object *listener);

/* POLLIN, POLLOUT, POLLHUP, ...: those of `wanted`. */
unsigned net_ready(const struct net_object *o, unsigned wanted);

/* Bytes may lie in watched memory.  Wait as the object says, or not at all; -1 with errno. */
ssize_t net_read(struct net_object *o, void *to, size_t n, bool wait, bool keep);
ssize_t net_write(struct net_object *o, const void *from, size_t n, bool wait);

/* net_write has put something into that object, for whoever reads there; or NULL. */
extern void (*net_answered)(const struct net_object *reader);

/* The same for bytes of our own: all of them, at once. */
void net_send(struct net_object *o, const void *from, size_t n);

/* Wait until something has changed; false: that deadline (0: none) has passed. */
bool net_wait(const char *what, unsigned long deadline);
void net_changed(struct net_object *o);
/* What others have done to it happens before what the current thread does next. */
void net_learn(const struct net_object *o);

#endif
