/* Tasks.  Whoever waits (at a barrier, for its children, for a group) does what nobody has begun yet, in the order of
 * creation; a thread that is alone does it at once.  Which thread does which task follows from the schedule. */
#include "openmp/team.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* As clang lays it out, before what is private to the task. */
struct body {
  void *shared;
  int32_t (*routine)(int32_t number, struct body *b);
  int32_t part;
  void (*destructors)(int32_t number, struct body *b);
  void *priority;
};

enum { FLAG_FINAL = 1 << 1, FLAG_DESTRUCTORS = 1 << 3 };

/* What a task needs (IN) or makes; tasks of which both only need it, or are both of one set, do not wait for each
 * other. */
struct need {
  intptr_t address;
  size_t length;
  uint8_t flags;
};
enum { NEED_OUT = 1 << 1, NEED_SET = 1 << 3, NEED_ALL = 1 << 7 };

struct group {
  struct group *outer;
  int left; /* tasks that are not done */
};

struct task {
  struct task *parent; /* NULL: the thread that made it was in none */
  struct task *next;   /* in the list of those that are not done, oldest first */
  struct member *maker;
  struct group *group;
  struct task *outer; /* where the thread that does it was before */
  struct group *outer_group;
  int32_t flags;
  bool final, begun;
  int children; /* that are not done */
  int users;    /* itself until it is done, and children that exist */
  size_t bytes; /* of the body, with what is shared */
  int need_count;
  struct need *needs;
  _Alignas(16) struct body body;
};

static struct task *task_of(struct body *b) {
  return (struct task *)(void *)((char *)b - offsetof(struct task, body));
}

struct body *__kmpc_omp_task_alloc(void *where, int32_t number, int32_t flags, size_t bytes,
                                   size_t shared_bytes,
                                   int32_t (*routine)(int32_t, struct body *)) {
  size_t shared_at = (bytes + 15) & ~(size_t)15;
  struct task *t = calloc(1, sizeof *t + shared_at + shared_bytes);
  (void)where, (void)number;
  t->flags = flags;
  t->bytes = shared_at + shared_bytes;
  t->body.routine = routine;
  t->body.shared = shared_bytes ? (char *)&t->body + shared_at : NULL;
  return &t->body;
}

/* ---- who comes after whom; pre for all: the team's mutex is held ---- */

static bool same_parent(const struct task *a, const struct task *b) {
  return a->parent == b->parent && (a->parent || a->maker == b->maker);
}

static bool needs_wait(const struct need *later, const struct need *earlier) {
  if ((later->flags | earlier->flags) & NEED_ALL)
    return true;
  if (later->address != earlier->address)
    return false;
  bool writes = (later->flags | earlier->flags) & ~1;
  bool one_set = later->flags & earlier->flags & NEED_SET;
  return writes && !one_set;
}

static bool comes_after(const struct task *t, const struct task *earlier) {
  for (int i = 0; i < t->need_count && same_parent(t, earlier); i++)
    for (int k = 0; k < earlier->need_count; k++)
      if (needs_wait(&t->needs[i], &earlier->needs[k]))
        return true;
  return false;
}

static bool is_ready(const struct team *team, const struct task *t) {
  for (const struct task *x = team->tasks; x != t; x = x->next)
    if (comes_after(t, x))
      return false;
  return true;
}

static bool descends(const struct task *t, const struct member *m) {
  if (!m->task)
    while (t->parent)
      t = t->parent;
  else
    while (t && t->parent != m->task)
      t = t->parent;
  return m->task ? t != NULL : t->maker == m;
}

/* One that nobody has begun; who is in the middle of a task, not at a barrier, takes only what came of that. */
static struct task *take(struct member *m, bool any) {
  struct team *team = m->team;
  for (struct task *t = team->tasks; t; t = t->next)
    if (!t->begun && (any || descends(t, m)) && is_ready(team, t)) {
      t->begun = true;
      return t;
    }
  return NULL;
}

static void drop(struct task *t) {
  while (t && --t->users == 0) {
    struct task *parent = t->parent;
    free(t->needs);
    free(t);
    t = parent;
  }
}

static void add(struct member *m, struct task *t) {
  struct task **end = &m->team->tasks;
  while (*end)
    end = &(*end)->next;
  *end = t;
  t->parent = m->task;
  t->maker = m;
  t->group = m->group;
  t->users = 1;
  t->final = (t->flags & FLAG_FINAL) || (m->task && m->task->final);
  if (t->group)
    t->group->left++;
  if (t->parent) {
    t->parent->children++;
    t->parent->users++;
  } else {
    m->children++;
  }
}

static void finish(struct team *team, struct task *t) {
  struct task **at = &team->tasks;
  while (*at != t)
    at = &(*at)->next;
  *at = t->next;
  if (t->group)
    t->group->left--;
  if (t->parent)
    t->parent->children--;
  else
    t->maker->children--;
  pthread_cond_broadcast(&team->changed);
  drop(t);
}

/* ---- doing them ---- */

static void begin(struct member *m, struct task *t) {
  t->outer = m->task;
  t->outer_group = m->group;
  m->task = t;
  m->group = t->group;
}

/* Leaves the team's mutex held. */
static void end(struct member *m, struct task *t) {
  m->task = t->outer;
  m->group = t->outer_group;
  pthread_mutex_lock(&m->team->mutex);
  finish(m->team, t);
}

static void perform(struct member *m, struct task *t) {
  begin(m, t);
  t->body.routine(m->number, &t->body);
  if (t->flags & FLAG_DESTRUCTORS)
    t->body.destructors(m->number, &t->body);
  end(m, t);
}

/* Do a task, or wait until there is something new; pre: the mutex is held, as it is afterwards. */
static void help(struct member *m, bool any) {
  struct task *t = take(m, any);
  if (!t) {
    pthread_cond_wait(&m->team->changed, &m->team->mutex);
    return;
  }
  pthread_mutex_unlock(&m->team->mutex);
  perform(m, t);
}

static void help_until_none(struct member *m, const int *left) {
  pthread_mutex_lock(&m->team->mutex);
  while (*left)
    help(m, false);
  pthread_mutex_unlock(&m->team->mutex);
}

void team_barrier_with_tasks(struct member *m) {
  struct team *team = m->team;
  pthread_mutex_lock(&team->mutex);
  uint32_t round = team->rounds;
  team->arrived++;
  while (team->rounds == round)
    if (team->arrived == team->count && !team->tasks) {
      team->arrived = 0;
      team->rounds++;
      pthread_cond_broadcast(&team->changed);
    } else {
      help(m, true);
    }
  pthread_mutex_unlock(&team->mutex);
}

/* ---- what clang calls ---- */

static void set_needs(struct task *t, int count, const struct need *needs) {
  if (!count)
    return;
  t->needs = malloc((size_t)count * sizeof *needs);
  memcpy(t->needs, needs, (size_t)count * sizeof *needs);
  t->need_count = count;
}

/* Who is alone, or in a task that is the last to be divided, does it at once. */
static void make(struct body *b, int count, const struct need *needs) {
  struct member *m = team_member();
  struct task *t = task_of(b);
  struct team *team = m->team;
  set_needs(t, count, needs);
  pthread_mutex_lock(&team->mutex);
  add(m, t);
  t->begun = team->count == 1 || (m->task && m->task->final);
  if (t->begun) {
    while (!is_ready(team, t))
      help(m, false);
    pthread_mutex_unlock(&team->mutex);
    perform(m, t);
  } else {
    pthread_cond_broadcast(&team->changed);
  }
  pthread_mutex_unlock(&team->mutex);
}

int32_t __kmpc_omp_task(void *where, int32_t number, struct body *b) {
  (void)where, (void)number;
  make(b, 0, NULL);
  return 0;
}

int32_t __kmpc_omp_task_with_deps(void *where, int32_t number, struct body *b, int32_t count,
                                  const struct need *needs, int32_t more_count,
                                  const struct need *more) {
  (void)where, (void)number, (void)more_count, (void)more;
  make(b, count, needs);
  return 0;
}

/* As a task would that needs these and does nothing. */
void __kmpc_omp_wait_deps(void *where, int32_t number, int32_t count, const struct need *needs,
                          int32_t more_count, const struct need *more) {
  struct member *m = team_member();
  struct task *t = task_of(__kmpc_omp_task_alloc(where, number, 0, sizeof(struct body), 0, NULL));
  (void)more_count, (void)more;
  set_needs(t, count, needs);
  t->begun = true;
  pthread_mutex_lock(&m->team->mutex);
  add(m, t);
  while (!is_ready(m->team, t))
    help(m, false);
  finish(m->team, t);
  pthread_mutex_unlock(&m->team->mutex);
}

void __kmpc_omp_taskwait_deps_51(void *where, int32_t number, int32_t count,
                                 const struct need *needs, int32_t more_count,
                                 const struct need *more, int32_t no_wait) {
  (void)no_wait;
  __kmpc_omp_wait_deps(where, number, count, needs, more_count, more);
}

/* if(...) has said no: the task is done right here, between these two. */
void __kmpc_omp_task_begin_if0(void *where, int32_t number, struct body *b) {
  struct member *m = team_member();
  struct task *t = task_of(b);
  (void)where, (void)number;
  t->begun = true;
  pthread_mutex_lock(&m->team->mutex);
  add(m, t);
  pthread_mutex_unlock(&m->team->mutex);
  begin(m, t);
}

void __kmpc_omp_task_complete_if0(void *where, int32_t number, struct body *b) {
  struct member *m = team_member();
  (void)where, (void)number;
  end(m, task_of(b));
  pthread_mutex_unlock(&m->team->mutex);
}

int32_t __kmpc_omp_taskwait(void *where, int32_t number) {
  struct member *m = team_member();
  (void)where, (void)number;
  help_until_none(m, m->task ? &m->task->children : &m->children);
  return 0;
}

int32_t __kmpc_omp_taskyield(void *where, int32_t number, int32_t part) {
  struct member *m = team_member();
  (void)where, (void)number, (void)part;
  pthread_mutex_lock(&m->team->mutex);
  struct task *t = take(m, false);
  pthread_mutex_unlock(&m->team->mutex);
  if (t) {
    perform(m, t);
    pthread_mutex_unlock(&m->team->mutex);
  }
  return 0;
}

void __kmpc_taskgroup(void *where, int32_t number) {
  struct member *m = team_member();
  struct group *g = calloc(1, sizeof *g);
  (void)where, (void)number;
  g->outer = m->group;
  m->group = g;
}

void __kmpc_end_taskgroup(void *where, int32_t number) {
  struct member *m = team_member();
  struct group *g = m->group;
  (void)where, (void)number;
  help_until_none(m, &g->left);
  m->group = g->outer;
  free(g);
}

int omp_in_final(void) {
  const struct task *t = team_member()->task;
  return t && t->final;
}

/* ---- loops that are divided into tasks ---- */

struct task_loop {
  struct body *pattern;
  size_t lower_at, upper_at; /* of its bounds, in the body */
  uint64_t lower;
  int64_t step;
  void (*copy)(struct body *to, struct body *from, int32_t last);
};

/* Iterations begin ... begin + count - 1. */
static void make_part(const struct task_loop *l, uint64_t begin, uint64_t count, bool last) {
  struct task *from = task_of(l->pattern);
  struct task *to = calloc(1, offsetof(struct task, body) + from->bytes);
  uint64_t lower = l->lower + begin * (uint64_t)l->step;
  uint64_t upper = lower + (count - 1) * (uint64_t)l->step;
  to->flags = from->flags;
  to->bytes = from->bytes;
  memcpy(&to->body, &from->body, from->bytes);
  if (from->body.shared)
    to->body.shared = (char *)&to->body + ((char *)from->body.shared - (char *)&from->body);
  memcpy((char *)&to->body + l->lower_at, &lower, sizeof lower);
  memcpy((char *)&to->body + l->upper_at, &upper, sizeof upper);
  if (l->copy)
    l->copy(&to->body, &from->body, last);
  make(&to->body, 0, NULL);
}

/* NOLINTBEGIN(readability-function-size): clang passes eleven and twelve arguments */
void __kmpc_taskloop(void *where, int32_t number, struct body *b, int32_t deferred,
                     const uint64_t *lower, const uint64_t *upper, int64_t step, int32_t no_group,
                     int32_t schedule, uint64_t amount,
                     void (*copy)(struct body *, struct body *, int32_t)) {
  enum { BY_SIZE = 1, BY_NUMBER = 2 };
  struct task_loop l = {b,
                        (size_t)((const char *)lower - (const char *)b),
                        (size_t)((const char *)upper - (const char *)b),
                        *lower,
                        step,
                        copy};
  uint64_t distance = step > 0 ? *upper - *lower : *lower - *upper;
  uint64_t trips = distance / (step > 0 ? (uint64_t)step : -(uint64_t)step) + 1;
  uint64_t parts = schedule == BY_NUMBER ? amount
                   : schedule == BY_SIZE ? (trips + amount - 1) / amount
                                         : (uint64_t)team_member()->team->count;
  (void)deferred; /* if not, the parts might as well be done by this thread */
  if (step > 0 ? (int64_t)*upper < (int64_t)*lower : (int64_t)*lower < (int64_t)*upper)
    trips = 0;
  if (parts > trips)
    parts = trips;
  if (!no_group)
    __kmpc_taskgroup(where, number);
  for (uint64_t i = 0, begin = 0; i < parts; i++) {
    uint64_t count = trips / parts + (i < trips % parts);
    make_part(&l, begin, count, i + 1 == parts);
    begin += count;
  }
  if (!no_group)
    __kmpc_end_taskgroup(where, number);
  free(task_of(b));
}

void __kmpc_taskloop_5(void *where, int32_t number, struct body *b, int32_t deferred,
                       const uint64_t *lower, const uint64_t *upper, int64_t step, int32_t no_group,
                       int32_t schedule, uint64_t amount, int32_t modifier,
                       void (*copy)(struct body *, struct body *, int32_t)) {
  (void)modifier;
  __kmpc_taskloop(where, number, b, deferred, lower, upper, step, no_group, schedule, amount, copy);
}
/* NOLINTEND(readability-function-size) */
