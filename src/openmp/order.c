/* Loops whose iterations wait for others, which they name: ordered(n), with depend(sink: ...) and depend(source). */
#include "openmp/team.h"
#include <stdlib.h>

struct dimension {
  int64_t lower, upper, step;
};

struct doacross {
  struct doacross *next;
  uint32_t number; /* 0, 1, ... in the team */
  int left;        /* so many have come to its end */
  int count;
  struct dimension *dimensions;
  bool *posted; /* by iteration */
};

static uint64_t trips(const struct dimension *d) {
  int64_t distance = d->step > 0 ? d->upper - d->lower : d->lower - d->upper;
  return distance < 0 ? 0 : (uint64_t)(distance / (d->step > 0 ? d->step : -d->step)) + 1;
}

static struct doacross *new_doacross(uint32_t number, int count,
                                     const struct dimension *dimensions) {
  struct doacross *x = calloc(1, sizeof *x);
  uint64_t all = 1;
  x->number = number;
  x->count = count;
  x->dimensions = calloc((size_t)count, sizeof *dimensions);
  for (int i = 0; i < count; i++) {
    x->dimensions[i] = dimensions[i];
    all *= trips(&dimensions[i]);
  }
  x->posted = calloc(all + 1, sizeof *x->posted);
  return x;
}

void __kmpc_doacross_init(void *where, int32_t number, int32_t count,
                          const struct dimension *dimensions) {
  struct member *m = team_member();
  struct team *t = m->team;
  (void)where, (void)number;
  pthread_mutex_lock(&t->mutex);
  struct doacross *x = t->doacrosses;
  while (x && x->number != m->doacrosses)
    x = x->next;
  if (!x) {
    x = new_doacross(m->doacrosses, count, dimensions);
    x->next = t->doacrosses;
    t->doacrosses = x;
  }
  pthread_mutex_unlock(&t->mutex);
  m->doacrosses++;
  m->doacross = x;
}

/* NULL: there is no such iteration. */
static bool *iteration(const struct doacross *x, const int64_t *at) {
  uint64_t n = 0;
  for (int i = 0; i < x->count; i++) {
    const struct dimension *d = &x->dimensions[i];
    int64_t distance = d->step > 0 ? at[i] - d->lower : d->lower - at[i];
    uint64_t k = (uint64_t)(distance / (d->step > 0 ? d->step : -d->step));
    if (distance < 0 || k >= trips(d))
      return NULL;
    n = n * trips(d) + k;
  }
  return &x->posted[n];
}

void __kmpc_doacross_wait(void *where, int32_t number, const int64_t *at) {
  struct member *m = team_member();
  const bool *posted = iteration(m->doacross, at);
  (void)where, (void)number;
  pthread_mutex_lock(&m->team->mutex);
  while (posted && !*posted)
    pthread_cond_wait(&m->team->changed, &m->team->mutex);
  pthread_mutex_unlock(&m->team->mutex);
}

void __kmpc_doacross_post(void *where, int32_t number, const int64_t *at) {
  struct member *m = team_member();
  bool *posted = iteration(m->doacross, at);
  (void)where, (void)number;
  pthread_mutex_lock(&m->team->mutex);
  if (posted)
    *posted = true;
  pthread_cond_broadcast(&m->team->changed);
  pthread_mutex_unlock(&m->team->mutex);
}

void __kmpc_doacross_fini(void *where, int32_t number) {
  struct member *m = team_member();
  struct doacross **at = &m->team->doacrosses, *x = m->doacross;
  (void)where, (void)number;
  m->doacross = NULL;
  pthread_mutex_lock(&m->team->mutex);
  bool last = ++x->left == m->team->count;
  while (last && *at != x)
    at = &(*at)->next;
  if (last)
    *at = x->next;
  pthread_mutex_unlock(&m->team->mutex);
  if (!last)
    return;
  free(x->dimensions);
  free(x->posted);
  free(x);
}
