/* Descriptors through which threads of the program talk to each other: pipes, pairs of sockets, event
 * counters, and sets of descriptors (epoll).
 *
 * The kernel keeps what is in them, but no call waits there: whoever has to wait does so here, until
 * another thread has done something to the same channel.  An operation is one on a lock: every two
 * on the same channel depend on each other, and so do those on all that are in a set.  Who looks at several
 * descriptors looks at one after the other, as the kernel does.  World memory. */
#ifndef THREAD_CHANNEL_H
#define THREAD_CHANNEL_H

#include <poll.h>
#include <stdbool.h>

struct channel; /* a descriptor of one */

struct channel *channel_of(int fd);            /* NULL: it is none */
void channel_open(int first, int second);      /* with these ends; second may be -1 */
void channel_open_pair(int first, int second); /* each reads what the other one writes */
void channel_open_set(int fd);                 /* epoll */
bool channel_is_set(const struct channel *d);
void channel_dup(int from, int to);

/* Before descriptors are made, so that their numbers are the same in the same schedule. */
void channel_enter_table(void);
/* Descriptors are about to be closed, and have been. */
void channel_close_begin(int first, int last);
void channel_close_end(int first, int last);

/* The step of an operation that reads (POLLIN), writes (POLLOUT) or both. */
void channel_enter(const struct channel *d, short way);
/* The same for one that reads, and fails if there is none of these events; pre: ENTERED(). */
void channel_try(const struct channel *d, short events);
/* It has to wait; returns in another step, to look again.  False: the deadline has passed (0: never). */
bool channel_wait(const struct channel *d, short way, const char *what, unsigned long deadline);
/* The step has changed it, or may have. */
void channel_changed(const struct channel *d, short way);

/* The channel joins a set: pre: in a step on the set. */
void channel_join_set(const struct channel *set, const struct channel *d);

/* poll; deadline 0: none, 1: do not wait.  Some of the descriptors are channels. */
int channel_poll(struct pollfd *list, nfds_t count, unsigned long deadline);
/* epoll_wait and the like on a set: `look` asks the kernel without waiting. */
int channel_wait_set(int set, int (*look)(void *), void *argument, unsigned long deadline);

/* For gate_descriptor: libc's own streams read and write in between two steps. */
const char *channel_refuses(long number, const long *arguments);

#endif
