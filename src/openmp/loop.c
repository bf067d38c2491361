#include "openmp/team.h"
#include <stdbool.h>
#include <stdlib.h>

/* Schedules as clang numbers them; above these there are modifiers. */
enum {
  STATIC_CHUNKED = 33,
  STATIC_ORDERED_CHUNKED = 65,
  STATIC_ORDERED = 66,
  AMONG_TEAMS_CHUNKED = 91,
  AMONG_TEAMS = 92,
};
#define KIND_MASK 0xffff

/* ---- iterations that are divided beforehand ---- */

/* From lower to upper, both included, in steps of incr; each gets one part, or every count-th chunk. */
#define DEFINE_STATIC(suffix, type, signed_type, wide) \
  void __kmpc_for_static_init_##suffix(void *where, int32_t number, int32_t schedule, \
                                       int32_t *last, type *lower, type *upper, \
                                       signed_type *stride, signed_type incr, signed_type chunk) { \
    const struct member *m = team_member(); \
    int kind = schedule & KIND_MASK; \
    bool among_teams = m->leagues && (kind == AMONG_TEAMS_CHUNKED || kind == AMONG_TEAMS); \
    int count = among_teams ? m->leagues : m->team->count; \
    int own = among_teams ? m->league : m->number; \
    (void)where, (void)number; \
    bool none = incr > 0 ? *upper < *lower : *lower < *upper; \
    if (none) { \
      *last = 0; \
      *stride = incr; \
      return; \
    } \
    wide trips = incr > 0 ? ((wide)*upper - (wide)*lower) / (wide)incr + 1 \
                          : ((wide)*lower - (wide)*upper) / (wide)-incr + 1; \
    if (kind == STATIC_CHUNKED || kind == STATIC_ORDERED_CHUNKED || kind == AMONG_TEAMS_CHUNKED) { \
      wide size = chunk < 1 ? 1 : (wide)chunk; \
      *stride = (signed_type)(size * (wide)count) * incr; \
      *lower = (type)(*lower + (type)(size * (wide)own) * (type)incr); \
      *upper = (type)(*lower + (type)(size - 1) * (type)incr); \
      *last = (wide)own == (trips - 1) / size % (wide)count; \
      return; \
    } \
    wide part = trips / (wide)count, more = trips % (wide)count; \
    wide begin = (wide)own * part + ((wide)own < more ? (wide)own : more); \
    wide length = part + ((wide)own < more); \
    *stride = (signed_type)trips; \
    *last = length && begin + length == trips; \
    *lower = (type)(*lower + (type)begin * (type)incr); \
    *upper = \
        length ? (type)(*lower + (type)(length - 1) * (type)incr) : (type)(*lower - (type)incr); \
  }
/* NOLINTBEGIN(readability-function-size): clang passes nine arguments */
DEFINE_STATIC(4, int32_t, int32_t, int64_t)
DEFINE_STATIC(4u, uint32_t, int32_t, int64_t)
DEFINE_STATIC(8, int64_t, int64_t, __int128)
DEFINE_STATIC(8u, uint64_t, int64_t, __int128)
/* NOLINTEND(readability-function-size) */

void __kmpc_for_static_fini(void *where, int32_t number) {
  (void)where, (void)number;
}

/* ---- iterations that are given out on the way ---- */

struct loop {
  struct loop *next;
  uint32_t number;   /* 0, 1, ... in the team */
  int left;          /* so many have come to its end */
  bool ordered;      /* parts of iterations are done in order: */
  uint64_t in_order; /* this one is next */
  uint64_t given, trips, chunk;
  uint64_t lower;
  int64_t incr;
};

static struct loop *enter(struct member *m, const struct loop *what) {
  struct team *t = m->team;
  pthread_mutex_lock(&t->mutex);
  struct loop *l = t->loops;
  while (l && l->number != m->loops)
    l = l->next;
  if (!l) {
    l = malloc(sizeof *l);
    *l = *what;
    l->number = m->loops;
    l->next = t->loops;
    t->loops = l;
  }
  pthread_mutex_unlock(&t->mutex);
  m->loops++;
  return l;
}

static void leave(struct member *m) {
  struct loop **at = &m->team->loops, *l = m->loop;
  m->loop = NULL;
  if (++l->left < m->team->count)
    return;
  while (*at != l)
    at = &(*at)->next;
  *at = l->next;
  free(l);
}

/* Static ones, too: a chunk is as large as a part. */
static bool take(struct member *m, uint64_t *begin, uint64_t *length, bool *last) {
  struct loop *l = m->loop;
  pthread_mutex_lock(&m->team->mutex);
  *begin = l->given;
  *length = l->trips - l->given < l->chunk ? l->trips - l->given : l->chunk;
  l->given += *length;
  *last = l->given == l->trips;
  bool any = *length > 0;
  m->iteration = *begin;
  if (!any)
    leave(m);
  pthread_mutex_unlock(&m->team->mutex);
  return any;
}

/* ---- parts of iterations that are done in their order ---- */

static bool is_ordered(int32_t schedule) {
  int kind = schedule & KIND_MASK;
  return kind >= STATIC_ORDERED_CHUNKED && kind < AMONG_TEAMS_CHUNKED;
}

static void await_order(struct member *m) {
  pthread_mutex_lock(&m->team->mutex);
  while (m->loop->in_order != m->iteration)
    pthread_cond_wait(&m->team->changed, &m->team->mutex);
  pthread_mutex_unlock(&m->team->mutex);
}

static void pass_on(struct member *m) {
  pthread_mutex_lock(&m->team->mutex);
  m->loop->in_order++;
  pthread_cond_broadcast(&m->team->changed);
  pthread_mutex_unlock(&m->team->mutex);
}

/* The next one can come when this one has, with such a part or without. */
static void end_iteration(struct member *m) {
  if (!m->loop || !m->loop->ordered)
    return;
  if (!m->ordered) {
    await_order(m);
    pass_on(m);
  }
  m->ordered = false;
  m->iteration++;
}

void __kmpc_ordered(void *where, int32_t number) {
  struct member *m = team_member();
  (void)where, (void)number;
  if (m->loop && m->loop->ordered)
    await_order(m);
}

void __kmpc_end_ordered(void *where, int32_t number) {
  struct member *m = team_member();
  (void)where, (void)number;
  if (!m->loop || !m->loop->ordered)
    return;
  m->ordered = true;
  pass_on(m);
}

/* ---- the calls ---- */

#define DEFINE_DISPATCH(suffix, type, signed_type) \
  void __kmpc_dispatch_init_##suffix(void *where, int32_t number, int32_t schedule, type lower, \
                                     type upper, signed_type incr, signed_type chunk) { \
    struct member *m = team_member(); \
    bool none = incr > 0 ? upper < lower : lower < upper; \
    uint64_t distance = \
        incr > 0 ? (uint64_t)upper - (uint64_t)lower : (uint64_t)lower - (uint64_t)upper; \
    uint64_t step = incr > 0 ? (uint64_t)incr : -(uint64_t)incr; \
    (void)where, (void)number; \
    struct loop what = {.trips = none ? 0 : distance / step + 1, \
                        .chunk = chunk < 1 ? 1 : (uint64_t)chunk, \
                        .ordered = is_ordered(schedule), \
                        .lower = (uint64_t)lower, \
                        .incr = incr}; \
    m->loop = enter(m, &what); \
  } \
  int32_t __kmpc_dispatch_next_##suffix(void *where, int32_t number, int32_t *last, type *lower, \
                                        type *upper, signed_type *stride) { \
    struct member *m = team_member(); \
    uint64_t begin, length, first = m->loop->lower, incr = (uint64_t)m->loop->incr; \
    bool is_last; \
    (void)where, (void)number; \
    if (!take(m, &begin, &length, &is_last)) \
      return 0; \
    *lower = (type)(first + begin * incr); \
    *upper = (type)(first + (begin + length - 1) * incr); \
    *stride = (signed_type)incr; \
    if (last) \
      *last = is_last; \
    return 1; \
  } \
  void __kmpc_dispatch_fini_##suffix(void *where, int32_t number) { \
    (void)where, (void)number; \
    end_iteration(team_member()); \
  }
DEFINE_DISPATCH(4, int32_t, int32_t)
DEFINE_DISPATCH(4u, uint32_t, int32_t)
DEFINE_DISPATCH(8, int64_t, int64_t)
DEFINE_DISPATCH(8u, uint64_t, int64_t)

void __kmpc_dispatch_deinit(void *where, int32_t number) {
  (void)where, (void)number;
}
