#include "process/system_call.h"
#include "process/world.h"
#include "thread/channel.h"
#include "thread/sync_internal.h"

#define UNCANCELLED "pthread_cancel of a thread that waits for a descriptor"
#define NAMES 1024
#define SETS NAMES        /* all sets of descriptors are one object, */
#define TABLE (NAMES + 1) /* and so are the numbers of descriptors */

struct sync_channel {
  struct sync_object base;
  bool in_set;
  bool is_set;
};

/* A pair of sockets is two channels. */
struct channel {
  int fd;
  struct sync_channel *in, *out; /* what is read from, and written to; often the same */
  struct channel *next;
};

/* Who looks at several descriptors; on its stack. */
struct looker {
  struct looker *next;
  struct thread *thread;
  const struct pollfd *list;
  nfds_t seen;  /* of the list, in this round */
  bool changed; /* one of those since */
  bool asleep;
};

static char names[NAMES + 2]; /* an address for each: where an object of that number was made */

/* Goes back with the program. */
static struct {
  struct channel *descriptors;
  struct looker *lookers;
} state;

static struct sync_channel *object_at(int number) {
  return sync_get(&names[number], SYNC_CHANNEL, sizeof(struct sync_channel));
}

/* ---- descriptors ---- */

struct channel *channel_of(int fd) {
  struct channel *d = state.descriptors;
  while (d && d->fd != fd)
    d = d->next;
  return d;
}

static bool any_in(int first, int last) {
  const struct channel *d = state.descriptors;
  while (d && !(d->fd >= first && d->fd <= last))
    d = d->next;
  return d;
}

static void forget(int fd) {
  struct channel **d = &state.descriptors;
  while (*d && (*d)->fd != fd)
    d = &(*d)->next;
  if (*d)
    *d = (*d)->next;
}

static void add(int fd, struct sync_channel *in, struct sync_channel *out) {
  struct channel *d = world_alloc(sizeof *d);
  forget(fd);
  *d = (struct channel){fd, in, out, state.descriptors};
  state.descriptors = d;
}

static struct sync_channel *fresh(int fd) {
  struct sync_channel *c = object_at(fd % NAMES);
  c->in_set = false;
  return c;
}

void channel_open(int first, int second) {
  struct sync_channel *c = fresh(first);
  add(first, c, c);
  if (second >= 0)
    add(second, c, c);
}

void channel_open_pair(int first, int second) {
  struct sync_channel *one = fresh(first), *other = fresh(second);
  add(first, one, other);
  add(second, other, one);
}

void channel_open_set(int fd) {
  struct sync_channel *c = object_at(SETS);
  c->is_set = true;
  add(fd, c, c);
}

bool channel_is_set(const struct channel *d) {
  return d->in->is_set;
}

void channel_dup(int from, int to) {
  const struct channel *d = channel_of(from);
  if (from == to)
    return;
  forget(to);
  if (d)
    add(to, d->in, d->out);
}

void channel_enter_table(void) {
  sync_enter(SYNC_PLAIN, &names[TABLE]);
}

/* ---- steps ---- */

static struct sync_channel *side(const struct channel *d, short way) {
  return way & POLLIN ? d->in : d->out;
}

/* The second object that it is about, or NULL. */
static const void *also(const struct channel *d, short way) {
  if (side(d, way)->in_set)
    return &names[SETS];
  return way & POLLIN && way & POLLOUT && d->in != d->out ? d->out->base.address : NULL;
}

static void enter(const struct channel *d, short way, enum operation_lock how) {
  const struct sync_channel *c = side(d, way);
  const void *second;
  do { /* it may join a set before this happens */
    second = also(d, way);
    if (!thread_at(c->base.address, second, how))
      thread_at_lock(c->base.address, how);
  } while (also(d, way) != second);
  thread_memory.full_fence();
  thread_memory.synchronise();
  thread_memory.order(EVENT_ACQUIRE, c->base.address, 0);
}

const char *channel_refuses(long number, const long *a) {
  bool moves = number == SYS_read || number == SYS_write || number == SYS_readv ||
               number == SYS_writev || number == SYS_recvmmsg || number == SYS_sendmmsg;
  if (!moves || thread_count() < 2 || !channel_of((int)a[0]))
    return NULL;
  return "reading or writing a pipe, socket or eventfd inside libc (a stream, recvmmsg)";
}

void sync_channel_init(void) {
  world_include(&state, sizeof state);
}

static bool is_ready(int fd, short events) {
  struct pollfd p = {.fd = fd, .events = events};
  return system_call(SYS_poll, &p, 1, 0) == 1;
}

bool sync_channel_fails(const struct thread *t) {
  return !is_ready(t->channel_fd, t->channel_events);
}

void channel_enter(const struct channel *d, short way) {
  enter(d, way, OPERATION_LOCK_OTHER);
}

void channel_try(const struct channel *d, short events) {
  struct thread *self = thread_current();
  self->channel_fd = d->fd;
  self->channel_events = events;
  enter(d, POLLIN, OPERATION_LOCK_TRY);
}

bool channel_wait(const struct channel *d, short way, const char *what, unsigned long deadline) {
  if (deadline && thread_times_out(deadline))
    return false;
  thread_check_uncancelled(UNCANCELLED);
  bool woken = thread_wait_in(&side(d, way)->base.waiters, NULL, what, deadline);
  thread_end_uncancelled();
  if (!woken)
    return false;
  enter(d, way, OPERATION_LOCK_OTHER);
  return true;
}

static bool has_seen(const struct looker *l, const struct sync_channel *c) {
  for (nfds_t i = 0; i < l->seen; i++) {
    const struct channel *d = channel_of(l->list[i].fd);
    if (d && (d->in == c || d->out == c || (d->in->is_set && c->in_set)))
      return true;
  }
  return false;
}

/* Whoever has yet to look at it will see. */
static void wake(struct sync_channel *c) {
  thread_memory.order(EVENT_RELEASE, c->base.address, 0);
  sync_wake_all(&c->base.waiters);
  if (c->in_set)
    sync_wake_all(&object_at(SETS)->base.waiters);
  for (struct looker *l = state.lookers; l; l = l->next)
    if (!l->changed && has_seen(l, c)) {
      l->changed = true;
      if (l->asleep)
        thread_wake(l->thread);
    }
}

void channel_changed(const struct channel *d, short way) {
  wake(side(d, way));
  if (way & POLLOUT && d->out != side(d, way))
    wake(d->out);
}

void channel_close_begin(int first, int last) {
  for (int fd = first; fd <= last && any_in(fd, last); fd++)
    if (channel_of(fd))
      enter(channel_of(fd), POLLIN | POLLOUT, OPERATION_LOCK_OTHER);
}

void channel_close_end(int first, int last) {
  for (int fd = first; fd <= last && any_in(fd, last); fd++) {
    const struct channel *d = channel_of(fd);
    forget(fd);
    if (d)
      channel_changed(d, POLLIN | POLLOUT);
  }
}

/* What was done to it before is known in the set, too: first a step on it alone. */
static void join_set(const struct channel *set, struct sync_channel *c) {
  if (c->in_set)
    return;
  if (!thread_at(c->base.address, NULL, OPERATION_LOCK_OTHER))
    thread_at_lock(c->base.address, OPERATION_LOCK_OTHER);
  if (!thread_at(set->in->base.address, c->base.address, OPERATION_LOCK_OTHER))
    thread_at_lock(set->in->base.address, OPERATION_LOCK_OTHER);
  c->in_set = true;
}

void channel_join_set(const struct channel *set, const struct channel *d) {
  join_set(set, d->in);
  join_set(set, d->out);
}

/* ---- several at once ---- */

static int look_at_each(struct looker *l, struct pollfd *list, nfds_t count) {
  int ready = 0;
  l->changed = false;
  for (l->seen = 0; l->seen < count; l->seen++) {
    struct pollfd *p = &list[l->seen];
    const struct channel *d = p->fd < 0 ? NULL : channel_of(p->fd);
    short way = p->events & POLLOUT ? POLLOUT | (p->events & POLLIN) : POLLIN;
    if (d)
      enter(d, way, OPERATION_LOCK_OTHER);
    system_call(SYS_poll, p, 1, 0);
    ready += p->revents != 0;
  }
  return ready;
}

static void end_looking(struct looker *l) {
  struct looker **at = &state.lookers;
  while (*at != l)
    at = &(*at)->next;
  *at = l->next;
}

/* Alone it is tried like a lock: again and again in vain is once. */
static int poll_one(struct pollfd *p) {
  channel_try(channel_of(p->fd), p->events);
  return (int)system_call(SYS_poll, p, 1, 0);
}

int channel_poll(struct pollfd *list, nfds_t count, unsigned long deadline) {
  if (count == 1 && deadline == 1 && !(list->events & POLLOUT))
    return poll_one(list);
  struct looker self = {.thread = thread_current(), .list = list, .next = state.lookers};
  state.lookers = &self;
  if (deadline == 1 && thread_strategy.times_out) /* in a loop it would do so for ever */
    deadline = thread_virtual_time() + 1;
  int ready;
  while ((ready = look_at_each(&self, list, count)) == 0) {
    if (deadline == 1 || (deadline && thread_times_out(deadline)))
      break;
    if (self.changed)
      continue;
    self.asleep = true;
    thread_check_uncancelled(UNCANCELLED);
    bool woken = thread_wait(NULL, "one of several descriptors", deadline);
    thread_end_uncancelled();
    self.asleep = false;
    if (!woken)
      break;
  }
  end_looking(&self);
  return ready;
}

int channel_wait_set(int set, int (*look)(void *), void *argument, unsigned long deadline) {
  const struct channel *d = channel_of(set);
  if (deadline == 1)
    channel_try(d, POLLIN);
  else
    channel_enter(d, POLLIN);
  for (;;) {
    int ready = look(argument);
    if (ready || deadline == 1 || !channel_wait(d, POLLIN, "a set of descriptors", deadline))
      return ready;
  }
}
