#include "openmp/team.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ARGUMENTS_MAX 16
#define THREADS_USUAL 2 /* if nobody says how many */
#define TEAMS_USUAL 2
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

static struct team *new_team(int count) {
  struct team *t = calloc(1, sizeof *t);
  t->count = count;
  pthread_barrier_init(&t->barrier, NULL, (unsigned)count);
  pthread_mutex_init(&t->mutex, NULL);
  pthread_cond_init(&t->changed, NULL);
  return t;
}

static void free_team(struct team *t) {
  pthread_barrier_destroy(&t->barrier);
  pthread_mutex_destroy(&t->mutex);
  pthread_cond_destroy(&t->changed);
  free(t);
}

struct member *team_member(void) {
  struct member *m = current();
  if (m)
    return m;
  m = calloc(1, sizeof *m);
  m->team = new_team(1);
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

/* At the end of a region its tasks are done. */
static void take_part(struct start *s) {
  pthread_setspecific(key, &s->member);
  call(s);
  if (team_barrier_with_tasks)
    team_barrier_with_tasks(&s->member);
}

static void *run(void *argument) {
  take_part(argument);
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

/* Runs them all, the first one here, and joins them. */
static void run_all(struct start *starts, int count) {
  struct member *before = current();
  pthread_t *threads = calloc((size_t)count, sizeof *threads);
  for (int i = 1; i < count; i++)
    if (pthread_create(&threads[i], NULL, run, &starts[i]))
      abort();
  take_part(&starts[0]);
  for (int i = 1; i < count; i++)
    pthread_join(threads[i], NULL);
  pthread_setspecific(key, before);
  free(threads);
}

static void run_team(int count, region f, int argument_count, void **arguments) {
  const struct member *before = current();
  struct team *team = new_team(count);
  struct start *starts = calloc((size_t)count, sizeof *starts);
  for (int i = 0; i < count; i++)
    starts[i] = (struct start){
        {.team = team, .number = i, .league = before->league, .leagues = before->leagues},
        f,
        argument_count,
        arguments};
  run_all(starts, count);
  free_team(team);
  free(starts);
}

/* Teams of one thread each, until they come to a parallel region. */
static void run_league(int count, region f, int argument_count, void **arguments) {
  struct start *starts = calloc((size_t)count, sizeof *starts);
  for (int i = 0; i < count; i++)
    starts[i] = (struct start){
        {.team = new_team(1), .league = i, .leagues = count}, f, argument_count, arguments};
  run_all(starts, count);
  for (int i = 0; i < count; i++)
    free_team(starts[i].member.team);
  free(starts);
}

static void collect(va_list list, int count, void **arguments) {
  if (count > ARGUMENTS_MAX)
    abort();
  for (int i = 0; i < count; i++)
    arguments[i] = va_arg(list, void *);
}

void __kmpc_fork_call(void *where, int32_t argument_count, region f, ...) {
  void *arguments[ARGUMENTS_MAX] = {0};
  va_list list;
  (void)where;
  va_start(list, f);
  collect(list, argument_count, arguments);
  va_end(list);
  run_team(count_of(team_member()), f, argument_count, arguments);
}

void __kmpc_fork_teams(void *where, int32_t argument_count, region f, ...) {
  void *arguments[ARGUMENTS_MAX] = {0};
  struct member *m = team_member();
  int count = m->teams_asked ? m->teams_asked : TEAMS_USUAL;
  va_list list;
  (void)where;
  va_start(list, f);
  collect(list, argument_count, arguments);
  va_end(list);
  m->teams_asked = 0;
  run_league(count < THREADS_MAX ? count : THREADS_MAX, f, argument_count, arguments);
}

void __kmpc_push_num_teams(void *where, int32_t number, int32_t teams, int32_t threads) {
  (void)where, (void)number, (void)threads;
  team_member()->teams_asked = teams;
}

void __kmpc_push_num_teams_51(void *where, int32_t number, int32_t least, int32_t most,
                              int32_t threads) {
  (void)least;
  __kmpc_push_num_teams(where, number, most, threads);
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

/* One of them has set what all get. */
void __kmpc_copyprivate(void *where, int32_t number, size_t bytes, void *data,
                        void (*copy)(void *to, void *from), int32_t is_the_one) {
  struct member *m = team_member();
  (void)where, (void)number, (void)bytes;
  if (is_the_one)
    m->team->copied = data;
  team_barrier(m);
  if (!is_the_one)
    copy(data, (void *)m->team->copied);
  team_barrier(m);
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

int omp_get_team_num(void) {
  return team_member()->league;
}

int omp_get_num_teams(void) {
  int count = team_member()->leagues;
  return count ? count : 1;
}

int omp_get_thread_limit(void) {
  return THREADS_MAX;
}

int omp_get_max_active_levels(void) {
  return 1;
}

void omp_set_max_active_levels(int levels) {
  (void)levels;
}

int omp_get_num_devices(void) {
  return 0;
}

int omp_is_initial_device(void) {
  return 1;
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
