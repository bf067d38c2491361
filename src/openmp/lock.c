#include "openmp/team.h"
#include <stdlib.h>

/* Names of critical regions are 32 bytes of zeros; of a mutex of the usual kind glibc uses 24, and the checker knows it
 * by its address. */
struct name {
  int32_t bytes[8];
};

static pthread_mutex_t *mutex_of(struct name *n) {
  return (pthread_mutex_t *)(void *)n;
}

void __kmpc_critical(void *where, int32_t number, struct name *n) {
  (void)where, (void)number;
  pthread_mutex_lock(mutex_of(n));
}

void __kmpc_critical_with_hint(void *where, int32_t number, struct name *n, uint32_t hint) {
  (void)hint;
  __kmpc_critical(where, number, n);
}

void __kmpc_end_critical(void *where, int32_t number, struct name *n) {
  (void)where, (void)number;
  pthread_mutex_unlock(mutex_of(n));
}

void team_barrier(struct member *m) {
  if (team_barrier_with_tasks)
    team_barrier_with_tasks(m);
  else
    __tidemark_barrier_wait(&m->team->barrier);
}

void __kmpc_barrier(void *where, int32_t number) {
  (void)where, (void)number;
  team_barrier(team_member());
}

void __kmpc_flush(void *where) {
  (void)where;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Each adds its part to the sum by itself, one after the other: that is what 1 asks for. */
int32_t __kmpc_reduce_nowait(void *where, int32_t number, int32_t count, size_t bytes, void *parts,
                             void (*join)(void *, void *), struct name *n) {
  (void)count, (void)bytes, (void)parts, (void)join;
  __kmpc_critical(where, number, n);
  return 1;
}

void __kmpc_end_reduce_nowait(void *where, int32_t number, struct name *n) {
  __kmpc_end_critical(where, number, n);
}

int32_t __kmpc_reduce(void *where, int32_t number, int32_t count, size_t bytes, void *parts,
                      void (*join)(void *, void *), struct name *n) {
  return __kmpc_reduce_nowait(where, number, count, bytes, parts, join, n);
}

void __kmpc_end_reduce(void *where, int32_t number, struct name *n) {
  __kmpc_end_critical(where, number, n);
  __kmpc_barrier(where, number);
}

/* Of threads that have added without asking (instrument/reduction.c). */
void __tidemark_end_reduce(void *where, int32_t number, struct name *n) {
  (void)n;
  __kmpc_barrier(where, number);
}

/* ---- locks of the program: a pointer each ---- */

static void *new_mutex(int kind) {
  pthread_mutexattr_t attributes;
  pthread_mutex_t *m = malloc(sizeof *m);
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, kind);
  pthread_mutex_init(m, &attributes);
  return m;
}

void omp_init_lock(void **lock) {
  *lock = new_mutex(PTHREAD_MUTEX_NORMAL);
}

void omp_init_lock_with_hint(void **lock, int hint) {
  (void)hint;
  omp_init_lock(lock);
}

void omp_destroy_lock(void **lock) {
  pthread_mutex_destroy(*lock);
  free(*lock);
}

void omp_set_lock(void **lock) {
  pthread_mutex_lock(*lock);
}

void omp_unset_lock(void **lock) {
  pthread_mutex_unlock(*lock);
}

int omp_test_lock(void **lock) {
  return pthread_mutex_trylock(*lock) == 0;
}

void omp_init_nest_lock(void **lock) {
  *lock = new_mutex(PTHREAD_MUTEX_RECURSIVE);
}

void omp_destroy_nest_lock(void **lock) {
  omp_destroy_lock(lock);
}

void omp_set_nest_lock(void **lock) {
  omp_set_lock(lock);
}

void omp_unset_nest_lock(void **lock) {
  omp_unset_lock(lock);
}
