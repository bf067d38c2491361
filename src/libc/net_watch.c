#include "libc/net_watch.h"
#include "process/world.h"
#include <errno.h>
#include <poll.h>

/* World memory. */
struct net_watch {
  struct net_watch *next;
  int fd;
  struct net_object *object;
  struct epoll_event event;
  uint64_t seen;       /* changes when it was last told of (EPOLLET) */
  bool told, disarmed; /* EPOLLONESHOT */
};

/* The bits of epoll are those of poll. */
_Static_assert(EPOLLIN == POLLIN && EPOLLOUT == POLLOUT && EPOLLHUP == POLLHUP &&
                   EPOLLERR == POLLERR,
               "epoll and poll");

static struct net_watch **find(struct net_object *set, int fd, const struct net_object *o) {
  struct net_watch **w = &set->watches;
  while (*w && !((*w)->fd == fd && (*w)->object == o))
    w = &(*w)->next;
  return w;
}

static int fail(int error) {
  errno = error;
  return -1;
}

int net_watch_control(struct net_object *set, int what, int fd, const struct epoll_event *event) {
  struct net_object *o = net_at(fd);
  if (!o)
    return fail(EPERM); /* as for a regular file */
  if (o == set || (what != EPOLL_CTL_DEL && !event))
    return fail(EINVAL);
  struct net_watch **at = find(set, fd, o);
  if (what == EPOLL_CTL_ADD ? *at != NULL : !*at)
    return fail(what == EPOLL_CTL_ADD ? EEXIST : ENOENT);
  if (what == EPOLL_CTL_DEL) {
    *at = (*at)->next;
    return 0;
  }
  if (!*at) {
    *at = world_alloc(sizeof **at);
    (*at)->fd = fd;
    (*at)->object = o;
  }
  (*at)->event = *event;
  (*at)->told = (*at)->disarmed = false;
  net_changed(set);
  return 0;
}

void net_unwatch(struct net_object *set, const struct net_object *o) {
  for (struct net_watch **w = &set->watches; *w;)
    if ((*w)->object == o)
      *w = (*w)->next;
    else
      w = &(*w)->next;
}

static unsigned happening(const struct net_watch *w) {
  unsigned wanted = w->event.events | EPOLLERR | EPOLLHUP;
  if (w->disarmed || (w->event.events & EPOLLET && w->told && w->seen == w->object->changes))
    return 0;
  return net_ready(w->object, wanted);
}

bool net_watch_any(const struct net_object *set) {
  for (const struct net_watch *w = set->watches; w; w = w->next)
    if (happening(w))
      return true;
  return false;
}

int net_watch_collect(struct net_object *set, struct epoll_event *to, int room) {
  int n = 0;
  for (struct net_watch *w = set->watches; w && n < room; w = w->next) {
    unsigned now = happening(w);
    if (!now)
      continue;
    w->told = true;
    w->seen = w->object->changes;
    w->disarmed = w->event.events & EPOLLONESHOT;
    to[n++] = (struct epoll_event){.events = now, .data = w->event.data};
  }
  return n;
}
