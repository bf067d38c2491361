/* Sets of descriptors that are watched (epoll), and waiting for any of several (poll, select). */
#ifndef LIBC_NET_WATCH_H
#define LIBC_NET_WATCH_H

#include "libc/net.h"
#include <sys/epoll.h>

/* epoll_ctl; -1 with errno. */
int net_watch_control(struct net_object *set, int what, int fd, const struct epoll_event *event);
void net_unwatch(struct net_object *set, const struct net_object *o);
bool net_watch_any(const struct net_object *set);

/* epoll_wait, without waiting: how many. */
int net_watch_collect(struct net_object *set, struct epoll_event *to, int room);

#endif
