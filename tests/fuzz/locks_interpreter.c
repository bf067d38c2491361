/* Runs a program of words such as "L0 l1 U0;T0": threads between semicolons, a letter for the call and a digit for the
 * object (locks_random.py).  The outcome is what each call has returned, and the variables at the end. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <tidemark.h>
#include <time.h>

enum { THREADS_MAX = 4, LINE = 256, CHECKED = 1, RECURSIVE = 2, ROBUST = 3 };

struct self {
  const char *word;
  int number;
  int mutexes[4], reads[2], writes[2]; /* how often it holds them */
  bool spins;
  int count;
  char results[64];
};

static pthread_mutex_t mutex[4]; /* normal, error-checking, recursive, robust and recursive */
static pthread_rwlock_t rwlock[2];
static sem_t semaphore[2];
static pthread_cond_t condition[2];
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static pthread_once_t once[2] = {PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT};
static _Alignas(LINE) atomic_int variable[2];
static _Alignas(LINE) atomic_int initialised;
static struct slot { _Alignas(LINE) char results[LINE]; } slots[THREADS_MAX];
static char *program;

static void initialise(void) {
  atomic_fetch_add(&initialised, 1);
}

static void initialise_by_variable(void) {
  atomic_fetch_add(&initialised, 2 + atomic_load(&variable[0]));
}

static struct timespec soon(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  t.tv_sec++;
  return t;
}

static void say(struct self *self, int result) {
  static const struct {
    int error;
    char name;
  } names[] = {{EBUSY, 'b'},     {EDEADLK, 'd'},    {EPERM, 'p'},          {EAGAIN, 'a'},
               {ETIMEDOUT, 't'}, {EOWNERDEAD, 'o'}, {ENOTRECOVERABLE, 'n'}};
  char c = result < 0 ? 's' : (char)('0' + result % 10);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    c = result == names[i].error ? names[i].name : c;
  self->results[self->count++] = c;
}

static void took(struct self *self, int n, int result) {
  self->mutexes[n] += result == 0 || result == EOWNERDEAD;
  if (result == EOWNERDEAD && self->count % 2)
    pthread_mutex_consistent(&mutex[n]);
  say(self, result);
}

static void on_mutex(struct self *self, char call, int n) {
  struct timespec t;
  if (call == 'L')
    took(self, n, pthread_mutex_lock(&mutex[n]));
  if (call == 'T')
    took(self, n, pthread_mutex_trylock(&mutex[n]));
  if (call == 'D' && (t = soon(), true))
    took(self, n, pthread_mutex_timedlock(&mutex[n], &t));
  if (call != 'U' || (n == 0 && !self->mutexes[0]))
    return;
  int result = pthread_mutex_unlock(&mutex[n]);
  self->mutexes[n] -= !result;
  say(self, result);
}

static void on_rwlock(struct self *self, char call, int n) {
  bool holds = self->reads[n] || self->writes[n];
  struct timespec t = soon();
  int result;
  if (call == 'R' && !holds)
    self->reads[n] += !pthread_rwlock_rdlock(&rwlock[n]);
  if (call == 'r') {
    say(self, result = pthread_rwlock_tryrdlock(&rwlock[n]));
    self->reads[n] += !result;
  }
  if (call == 'W' || call == 'w' || call == 'v') {
    result = call == 'W'   ? pthread_rwlock_wrlock(&rwlock[n])
             : call == 'w' ? pthread_rwlock_trywrlock(&rwlock[n])
                           : pthread_rwlock_timedwrlock(&rwlock[n], &t);
    self->writes[n] += !result;
    say(self, result);
  }
  if (call == 'u' && holds) {
    *(self->writes[n] ? &self->writes[n] : &self->reads[n]) -= 1;
    pthread_rwlock_unlock(&rwlock[n]);
  }
}

static void on_semaphore(struct self *self, char call, int n) {
  struct timespec t = soon();
  int value;
  if (call == 'P')
    sem_post(&semaphore[n]);
  if (call == 'V')
    sem_wait(&semaphore[n]);
  if (call == 'q')
    say(self, sem_trywait(&semaphore[n]) ? errno : 0);
  if (call == 'Q')
    say(self, sem_timedwait(&semaphore[n], &t) ? errno : 0);
  if (call == 'g' && !sem_getvalue(&semaphore[n], &value))
    say(self, value);
}

static void on_condition(struct self *self, char call, int n) {
  struct timespec t = soon();
  if (call == 'C' && self->mutexes[0])
    pthread_cond_wait(&condition[n], &mutex[0]);
  if (call == 'c' && self->mutexes[0])
    say(self, pthread_cond_timedwait(&condition[n], &mutex[0], &t));
  if (call == 'S')
    pthread_cond_signal(&condition[n]);
  if (call == 'B')
    pthread_cond_broadcast(&condition[n]);
}

static void on_others(struct self *self, char call, int n) {
  if (call == 'A')
    say(self, pthread_barrier_wait(&barrier));
  if (call == 'O' && !pthread_once(&once[n], n ? initialise_by_variable : initialise))
    say(self, atomic_load(&initialised));
  if (call == 'l')
    say(self, atomic_load(&variable[n]));
  if (call == 's')
    atomic_store_explicit(&variable[n], self->number + 1, memory_order_relaxed);
  if (call == 'i')
    atomic_fetch_add(&variable[n], 1);
  if (call == 'K' && !self->spins)
    self->spins = !pthread_spin_lock(&spin);
  else if (call == 'k' && self->spins)
    self->spins = pthread_spin_unlock(&spin);
  else if (call == 'k') {
    int result = pthread_spin_trylock(&spin);
    self->spins = !result;
    say(self, result);
  }
}

/* All but the robust one. */
static void release(struct self *self) {
  for (int n = 0; n < ROBUST; n++)
    for (; self->mutexes[n]; self->mutexes[n]--)
      pthread_mutex_unlock(&mutex[n]);
  for (int n = 0; n < 2; n++)
    for (int held = self->reads[n] + self->writes[n]; held > 0; held--)
      pthread_rwlock_unlock(&rwlock[n]);
  if (self->spins)
    pthread_spin_unlock(&spin);
}

static void *run(void *number) {
  struct self self = {.number = (int)(long)number, .word = program};
  for (int i = 0; i < self.number; i++)
    self.word = strchr(self.word, ';') + 1;
  for (; *self.word && *self.word != ';'; self.word += self.word[2] == ' ' ? 3 : 2) {
    char call = self.word[0];
    (strchr("LTDU", call)     ? on_mutex
     : strchr("RrWwvu", call) ? on_rwlock
     : strchr("PVqQg", call)  ? on_semaphore
     : strchr("CcSB", call)   ? on_condition
                              : on_others)(&self, call, self.word[1] - '0');
  }
  release(&self);
  memcpy(slots[self.number].results, self.results, sizeof self.results);
  return NULL;
}

static void make_mutexes(void) {
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutex_init(&mutex[0], NULL);
  pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&mutex[CHECKED], &attr);
  pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutex[RECURSIVE], &attr);
  pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex[ROBUST], &attr);
}

int main(int argc, char **argv) {
  (void)argc;
  program = argv[1];
  make_mutexes();
  pthread_rwlockattr_t attr;
  pthread_rwlockattr_init(&attr);
  pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  for (int n = 0; n < 2; n++) {
    pthread_rwlock_init(&rwlock[n], n ? &attr : NULL);
    sem_init(&semaphore[n], 0, (unsigned)n);
    pthread_cond_init(&condition[n], NULL);
  }
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_spin_init(&spin, 0);
  pthread_t t[THREADS_MAX];
  long threads = 1;
  for (const char *s = program; (s = strchr(s, ';')); s++)
    threads++;
  for (long i = 0; i < threads; i++)
    pthread_create(&t[i], NULL, run, (void *)i);
  for (long i = 0; i < threads; i++)
    pthread_join(t[i], NULL);
  tidemark_outcome("%s|%s|%s %d %d", slots[0].results, slots[1].results, slots[2].results,
                   atomic_load(&variable[0]), atomic_load(&variable[1]));
  return 0;
}
