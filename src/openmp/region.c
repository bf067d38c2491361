#include "openmp/team.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ARGUMENTS_MAX 16
#define THREADS_USUAL 2 /* if nobody says how many */
#define THREADS_MAX 64

typedef void (*region)(int32_t *number, int32_t *bound, ...);

struct start {
  struct member member;
  region function;
  int argument_count;
  void **arguments;
};

static pthread_key_t key;
static int asked; /* omp_set_num_threads; 0: nobody has */

/* Before main, so that threads need no order for it. */
__attribute__((constructor)) static void make_key(void) {
  pthread_key_create(&key, NULL);
}

static struct member *current(void) {
  return pthread_getspecific(key);
}

struct member *team_member(void) {
  struct member *m = current();
  if (m)
    return m;
  struct team *t = calloc(1, sizeof *t);
  m = calloc(1, sizeof *m);
  t->count = 1;
  pthread_barrier_init(&t->barrier, NULL, 1);
  pthread_mutex_init(&t->mutex, NULL);
  m->team = t;
  pthread_setspecific(key, m);
  return m;
}

static void call(const struct start *s) {
  int32_t number = s->member.number, bound = number;
  void **a = s->arguments;
  region f = s->function;
  switch ((s->argument_count + 3) / 4) { /* more than it takes do no harm */
  case 0:
    f(&number, &bound);
    break;
  case 1:
    f(&number, &bound, a[0], a[1], a[2], a[3]);
    break;
  case 2:
    f(&number, &bound, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
    break;
  case 3:
    f(&number, &bound, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11]);
    break;
  default:
    f(&number, &bound, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11],
      a[12], a[13], a[14], a[15]);
    break;
  }
}

static void *run(void *argument) {
  struct start *s = argument;
  pthread_setspecific(key, &s->member);
  call(s);
  return NULL;
}

static int usual_count(void) {
  const char *text = getenv("OMP_NUM_THREADS");
  int count = asked ? asked : text ? atoi(text) : THREADS_USUAL;
  return count < 1 ? 1 : count < THREADS_MAX ? count : THREADS_MAX;
}

/* Whoever is in a region already goes through another one alone. */
static int count_of(struct member *m) {
  int count = m->asked ? m->asked : usual_count();
  m->asked = 0;
  return m->team->count > 1 ? 1 : count < THREADS_MAX ? count : THREADS_MAX;
}

static void run_team(int count, region f, int argument_count, void **arguments) {
  struct member *before = current();
  struct team *team = calloc(1, sizeof *team);
  struct start *starts = calloc((size_t)count, sizeof *starts);
  pthread_t *threads = calloc((size_t)count, sizeof *threads);
  team->count = count;
  pthread_barrier_init(&team->barrier, NULL, (unsigned)count);
  pthread_mutex_init(&team->mutex, NULL);
  for (int i = 0; i < count; i++) {
    starts[i] = (struct start){{.team = team, .number = i}, f, argument_count, arguments};
    if (i > 0 && pthread_create(&threads[i], NULL, run, &starts[i]))
      abort();
  }
  pthread_setspecific(key, &starts[0].member);
  call(&starts[0]);
  for (int i = 1; i < count; i++)
    pthread_join(threads[i], NULL);
  pthread_setspecific(key, before);
  pthread_barrier_destroy(&team->barrier);
  pthread_mutex_destroy(&team->mutex);
  free(threads);
  free(starts);
  free(team);
}

void __kmpc_fork_call(void *where, int32_t argument_count, region f, ...) {
  void *arguments[ARGUMENTS_MAX] = {0};
  va_list list;
  (void)where;
  if (argument_count > ARGUMENTS_MAX)
    abort();
  va_start(list, f);
  for (int i = 0; i < argument_count; i++)
    arguments[i] = va_arg(list, void *);
  va_end(list);
  run_team(count_of(team_member()), f, argument_count, arguments);
}

void __kmpc_push_num_threads(void *where, int32_t number, int32_t count) {
  (void)where, (void)number;
  team_member()->asked = count;
}

/* if(...) has said no: the function is called right after this. */
void __kmpc_serialized_parallel(void *where, int32_t number) {
  (void)where, (void)number;
  team_member()->asked = 0;
}

void __kmpc_end_serialized_parallel(void *where, int32_t number) {
  (void)where, (void)number;
}

int32_t __kmpc_global_thread_num(void *where) {
  (void)where;
  return team_member()->number;
}

/* ---- what one of them does ---- */

int32_t __kmpc_master(void *where, int32_t number) {
  (void)where, (void)number;
  return team_member()->number == 0;
}

void __kmpc_end_master(void *where, int32_t number) {
  (void)where, (void)number;
}

int32_t __kmpc_masked(void *where, int32_t number, int32_t wanted) {
  (void)where, (void)number;
  return team_member()->number == wanted;
}

void __kmpc_end_masked(void *where, int32_t number) {
  (void)where, (void)number;
}

/* The first who comes. */
int32_t __kmpc_single(void *where, int32_t number) {
  struct member *m = team_member();
  (void)where, (void)number;
  pthread_mutex_lock(&m->team->mutex);
  int32_t first = m->team->singles == m->singles;
  m->team->singles += (uint32_t)first;
  pthread_mutex_unlock(&m->team->mutex);
  m->singles++;
  return first;
}

void __kmpc_end_single(void *where, int32_t number) {
  (void)where, (void)number;
}

/* ---- what the program asks ---- */

int omp_get_thread_num(void) {
  return team_member()->number;
}

int omp_get_num_threads(void) {
  return team_member()->team->count;
}

int omp_get_max_threads(void) {
  return usual_count();
}

void omp_set_num_threads(int count) {
  asked = count;
}

int omp_get_num_procs(void) {
  return usual_count();
}

int omp_in_parallel(void) {
  return team_member()->team->count > 1;
}

int omp_get_level(void) {
  return omp_in_parallel();
}

void omp_set_dynamic(int on) {
  (void)on;
}

int omp_get_dynamic(void) {
  return 0;
}

void omp_set_nested(int on) {
  (void)on;
}

int omp_get_nested(void) {
  return 0;
}

double omp_get_wtime(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

double omp_get_wtick(void) {
  return 1e-9;
}
