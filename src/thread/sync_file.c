#include "process/world.h"
#include "thread/file_lock.h"
#include "thread/sync_internal.h"
#include <errno.h>
#include <fcntl.h>

#define UNCANCELLED "pthread_cancel of a thread that waits for a file lock"

/* One for all files: a number for each would depend on the schedule, or on what the kernel calls a file that the program
 * creates anew in every execution. */
struct sync_file {
  struct sync_object base;
  struct file_lock *held;
};

struct file_description {
  int descriptors;
};

struct descriptor {
  int fd;
  struct file_description *description;
  struct descriptor *next;
};

static char name; /* its address */

/* Goes back with the program. */
static struct {
  struct descriptor *descriptors; /* that were used here */
  struct file_lock *unused;
} state;

void sync_file_init(void) {
  world_include(&state, sizeof state);
}

static struct sync_file *object(void) {
  return sync_get(&name, SYNC_FILE, sizeof(struct sync_file));
}

/* ---- descriptors ---- */

static void add(int fd, struct file_description *d) {
  struct descriptor *new = world_alloc(sizeof *new);
  *new = (struct descriptor){fd, d, state.descriptors};
  state.descriptors = new;
  d->descriptors++;
}

static struct descriptor **find(int fd) {
  struct descriptor **d = &state.descriptors;
  while (*d && (*d)->fd != fd)
    d = &(*d)->next;
  return d;
}

static struct file_description *description_of(int fd) {
  if (!*find(fd))
    add(fd, world_alloc(sizeof(struct file_description)));
  return (*find(fd))->description;
}

/* ---- what is held ---- */

static bool same_file(const struct file_lock *a, const struct file_lock *b) {
  return a->file.device == b->file.device && a->file.number == b->file.number;
}

static bool same_owner(const struct file_lock *a, const struct file_lock *b) {
  return a->kind == b->kind && (a->kind == FILE_LOCK_PROCESS ? a->machine == b->machine
                                                             : a->description == b->description);
}

static bool overlap(const struct file_lock *a, const struct file_lock *b) {
  return same_file(a, b) && a->first <= b->last && b->first <= a->last;
}

/* flock and locks of ranges do not know of each other. */
static const struct file_lock *obstacle(const struct sync_file *f, const struct file_lock *wanted) {
  for (const struct file_lock *l = f->held; l && wanted->type != F_UNLCK; l = l->next)
    if (overlap(l, wanted) && !same_owner(l, wanted) &&
        (l->kind == FILE_LOCK_WHOLE) == (wanted->kind == FILE_LOCK_WHOLE) &&
        (l->type == F_WRLCK || wanted->type == F_WRLCK))
      return l;
  return NULL;
}

static void hold(struct sync_file *f, const struct file_lock *lock) {
  struct file_lock *l = state.unused;
  if (l)
    state.unused = l->next;
  else
    l = world_alloc(sizeof *l);
  *l = *lock;
  l->next = f->held;
  f->held = l;
}

static void drop(struct file_lock **at) {
  struct file_lock *l = *at;
  *at = l->next;
  *l = (struct file_lock){.next = state.unused};
  state.unused = l;
}

/* What its owner has there is gone; of a longer one both ends are left. */
static void clear(struct sync_file *f, const struct file_lock *range) {
  for (struct file_lock **at = &f->held; *at;) {
    struct file_lock l = **at;
    if (!overlap(&l, range) || !same_owner(&l, range)) {
      at = &(*at)->next;
      continue;
    }
    drop(at);
    struct file_lock before = l, behind = l;
    before.last = range->first - 1;
    behind.first = range->last + 1;
    if (l.first < range->first)
      hold(f, &before);
    if (l.last > range->last)
      hold(f, &behind);
    at = &f->held;
  }
}

/* steps: the current thread does that. */
static void released(struct sync_file *f, bool steps) {
  if (steps)
    thread_memory.order(EVENT_RELEASE, f->base.address, 0);
  sync_wake_all(&f->base.waiters);
}

/* ---- steps ---- */

static struct sync_file *enter(int fd, struct file_lock *wanted, enum operation_lock how) {
  struct thread *self = thread_current();
  wanted->machine = self->machine;
  wanted->description = description_of(fd);
  struct sync_file *f = object();
  self->tries_file = how == OPERATION_LOCK_TRY ? wanted : NULL;
  sync_enter_as(SYNC_LOCKED, f->base.address, how);
  self->tries_file = NULL;
  return f;
}

bool sync_file_fails(const struct sync_object *o, const struct thread *t) {
  return t->tries_file && obstacle((const struct sync_file *)o, t->tries_file);
}

/* Whoever holds it may fail before that is seen. */
static const struct file_lock *observed(const struct sync_file *f, const struct file_lock *wanted) {
  const struct file_lock *l = obstacle(f, wanted);
  if (l)
    thread_memory.observe_machine(l->machine);
  return obstacle(f, wanted);
}

static void wait_for(struct sync_file *f, const struct file_lock *wanted) {
  bool may_be_cancelled = wanted->kind != FILE_LOCK_WHOLE;
  if (may_be_cancelled)
    thread_check_uncancelled(UNCANCELLED);
  thread_wait_in(&f->base.waiters, NULL, "file lock", 0);
  if (may_be_cancelled)
    thread_end_uncancelled();
  thread_at(f->base.address, NULL, OPERATION_LOCK_AGAIN);
}

int file_lock_set(int fd, struct file_lock wanted, bool waits) {
  bool tries = !waits && wanted.type != F_UNLCK;
  struct sync_file *f = enter(fd, &wanted, tries ? OPERATION_LOCK_TRY : OPERATION_LOCK_OTHER);
  if (wanted.kind ==
      FILE_LOCK_WHOLE) { /* it gives up what it has before it asks for something else */
    clear(f, &wanted);
    released(f, true);
  }
  if (tries && observed(f, &wanted))
    return EAGAIN;
  while (obstacle(f, &wanted))
    wait_for(f, &wanted);
  clear(f, &wanted);
  if (wanted.type != F_UNLCK) {
    thread_memory.order(EVENT_ACQUIRE, f->base.address, 0);
    hold(f, &wanted);
  }
  if (wanted.type != F_WRLCK)
    released(f, true);
  return 0;
}

bool file_lock_look(int fd, struct file_lock *wanted) {
  struct sync_file *f = enter(fd, wanted, OPERATION_LOCK_LOOK);
  const struct file_lock *l = observed(f, wanted);
  if (l)
    *wanted = *l;
  return l;
}

/* ---- closing ---- */

typedef bool concerns(const struct file_lock *l, const void *context);

static bool holds_any(const struct sync_file *f, concerns *those, const void *context) {
  const struct file_lock *l = f->held;
  while (l && !those(l, context))
    l = l->next;
  return l;
}

static void drop_all(concerns *those, const void *context, bool steps) {
  struct sync_file *f = sync_find(&name, SYNC_FILE);
  if (!f || !holds_any(f, those, context))
    return;
  if (steps)
    sync_enter(SYNC_LOCKED, f->base.address);
  for (struct file_lock **at = &f->held; *at;)
    if (those(*at, context))
      drop(at);
    else
      at = &(*at)->next;
  released(f, steps);
}

static bool is_of_description(const struct file_lock *l, const void *description) {
  return l->kind != FILE_LOCK_PROCESS && l->description == description;
}

static bool is_of_machine(const struct file_lock *l, const void *machine) {
  return l->machine == *(const int *)machine;
}

struct process_file {
  int machine;
  struct file_name name;
};

static bool is_of_process(const struct file_lock *l, const void *context) {
  const struct process_file *p = context;
  return l->kind == FILE_LOCK_PROCESS && l->machine == p->machine &&
         l->file.device == p->name.device && l->file.number == p->name.number;
}

static void forget(struct descriptor **at) {
  struct file_description *d = (*at)->description;
  *at = (*at)->next;
  if (--d->descriptors == 0)
    drop_all(is_of_description, d, true);
}

/* A process loses its locks of a file with any of its descriptors; one that was never used here is closed at no cost
 * unless somebody holds such a lock. */
void file_lock_close(int first, int last, bool (*name_of)(int fd, struct file_name *out)) {
  struct process_file p = {.machine = thread_current()->machine};
  for (int fd = first; state.descriptors && fd <= last; fd++) {
    if (name_of(fd, &p.name))
      drop_all(is_of_process, &p, true);
    if (*find(fd))
      forget(find(fd));
  }
}

void file_lock_dup(int from, int to) {
  if (from == to)
    return;
  if (*find(to))
    forget(find(to));
  add(to, description_of(from));
}

void sync_file_machine_gone(int machine) {
  drop_all(is_of_machine, &machine, false);
}
