/* Runs a program of words such as "kL0 vl1;kf1": threads between semicolons, a letter for the group, one for the call and a
 * digit for the object (calls_random.py).  main is the last of them.  The outcome is what each call has returned, and the variables
 * at the end. */
#define _GNU_SOURCE
#include <alloca.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <tidemark.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_MAX = 4, LINE = 256 };

struct self {
  const char *word;
  int number;
  bool holds[2], reads;
  int count;
  char results[64];
};

static _Alignas(LINE) atomic_int variable[2];
static _Alignas(LINE) atomic_int futex_word[2];
static _Alignas(LINE) atomic_int destroyed;
static pthread_key_t key[2];
static pthread_mutex_t mutex[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static pthread_barrier_t barrier;
static _Alignas(LINE) _Atomic(long *) block[2];
static _Alignas(LINE) char *_Atomic page;
static int event, ends[2];
static FILE *file;
static char tokens[] = "a b c d e f g h";
static struct slot { _Alignas(LINE) char results[LINE]; } slots[THREADS_MAX];
static pthread_t thread[THREADS_MAX];
static int threads;
static char *program;

static struct timespec soon(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  t.tv_nsec += 10000000;
  if (t.tv_nsec >= 1000000000)
    t.tv_sec++, t.tv_nsec -= 1000000000;
  return t;
}

static void say(struct self *self, long result) {
  static const struct {
    int error;
    char name;
  } names[] = {{EBUSY, 'b'},     {EDEADLK, 'd'}, {EPERM, 'p'},  {EAGAIN, 'a'},
               {ETIMEDOUT, 't'}, {EINTR, 'i'},   {EINVAL, 'v'}, {ESRCH, 's'}};
  char c = result < 0 ? 'm' : (char)('0' + result % 10);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    c = result == names[i].error ? names[i].name : c;
  self->results[self->count++] = c;
}

static void say_errno(struct self *self, long result) {
  say(self, result == -1 ? errno : result);
}

static long futex(atomic_int *word, int op, int value, const void *time_or_count, atomic_int *other,
                  int mask) {
  return syscall(SYS_futex, word, op, value, time_or_count, other, mask);
}

static void on_futex(struct self *self, char call, int n) {
  static const struct timespec short_time = {0, 1000000};
  atomic_int *word = &futex_word[n];
  struct timespec later = soon(CLOCK_MONOTONIC);
  switch (call) {
  case 'w':
    say_errno(self, futex(word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0));
    break;
  case 'y':
    say_errno(self, futex(word, FUTEX_WAIT, 0, &short_time, NULL, 0));
    break;
  case 'v':
    say_errno(self, futex(&futex_word[0], FUTEX_WAIT_BITSET, 0, NULL, NULL, n + 1));
    break;
  case 'V':
    say_errno(self, futex(&futex_word[0], FUTEX_WAIT_BITSET, 0, &later, NULL, n + 1));
    break;
  case 'k':
    say_errno(self, futex(word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0));
    break;
  case 'K':
    atomic_store(word, self->number + 1);
    say_errno(self, futex(word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0));
    break;
  case 'n':
    say_errno(self, futex(&futex_word[0], FUTEX_WAKE_BITSET, 1, NULL, NULL, n + 1));
    break;
  }
}

static void destroy0(void *p) {
  atomic_fetch_add(&destroyed, (int)(intptr_t)p);
}

static void destroy1(void *p) {
  if ((intptr_t)p < 3)
    pthread_setspecific(key[1], (char *)p + 2);
  atomic_fetch_add(&destroyed, 10 * atomic_load(&variable[0]) + 100);
}

static void cleanup(void *self) {
  atomic_fetch_add(&variable[1], ((struct self *)self)->number + 1);
}

static void cleanup_unlock(void *self) {
  struct self *s = self;
  s->holds[0] = false;
  pthread_mutex_unlock(&mutex[0]);
}

static void on_thread(struct self *self, char call, int n) {
  struct timespec t = soon(CLOCK_REALTIME);
  bool main = self->number == threads;
  int old;
  switch (call) {
  case 's':
    pthread_setspecific(key[n], (void *)(intptr_t)(self->number + 1));
    break;
  case 'g':
    say(self, (intptr_t)pthread_getspecific(key[n]));
    break;
  case 'x':
    if (main && n < threads && thread[n])
      say(self, pthread_cancel(thread[n]));
    break;
  case 'p':
    pthread_testcancel();
    break;
  case 'd':
    pthread_setcancelstate(n ? PTHREAD_CANCEL_ENABLE : PTHREAD_CANCEL_DISABLE, &old);
    break;
  case 'c': {
    pthread_cleanup_push(cleanup_unlock, self);
    pthread_mutex_lock(&mutex[0]);
    self->holds[0] = true;
    if (n)
      say(self, pthread_cond_timedwait(&condition, &mutex[0], &t));
    else
      pthread_cond_wait(&condition, &mutex[0]);
    pthread_cleanup_pop(1);
    break;
  }
  case 'S':
    n ? pthread_cond_broadcast(&condition) : pthread_cond_signal(&condition);
    break;
  case 'P':
    sem_post(&semaphore);
    break;
  case 'q':
    say_errno(self, n ? sem_trywait(&semaphore) : sem_wait(&semaphore));
    break;
  case 'J':
    if (main && n < threads && thread[n] && !pthread_tryjoin_np(thread[n], NULL))
      thread[n] = 0, say(self, 1);
    break;
  case 'j':
    if (main && n < threads && thread[n] && !pthread_timedjoin_np(thread[n], NULL, &t))
      thread[n] = 0, say(self, 2);
    break;
  case 'b':
    old = pthread_barrier_wait(&barrier);
    if (n)
      say(self, old == PTHREAD_BARRIER_SERIAL_THREAD);
    break;
  }
}

static void handler(int number) {
  atomic_fetch_add(&variable[0], number == SIGUSR2 ? 5 : 50);
}

static void on_signal(struct self *self, char call, int n) {
  static const struct timespec short_time = {0, 1000000};
  sigset_t set;
  int number;
  sigemptyset(&set);
  sigaddset(&set, n ? SIGRTMIN : SIGUSR1);
  switch (call) {
  case 'z':
    say(self, sigwait(&set, &number));
    break;
  case 'y':
    say_errno(self, sigtimedwait(&set, NULL, &short_time) > 0 ? 1 : -1);
    break;
  case 'k':
    if (self->number == threads && n < threads && thread[n])
      say(self, pthread_kill(thread[n], SIGUSR1));
    break;
  case 'K':
    say(self, kill(getpid(), n ? SIGRTMIN : SIGUSR1));
    break;
  case 'r':
    raise(SIGUSR2);
    break;
  case 'P':
    sigpending(&set);
    say(self, sigismember(&set, n ? SIGRTMIN : SIGUSR1));
    break;
  }
}

static jmp_buf back[THREADS_MAX];

static void leap(struct self *self, int n) {
  int vla[n + 2];
  vla[n + 1] = atomic_load(&variable[0]);
  if (vla[n + 1] != 0 && n < 3)
    longjmp(back[self->number], 1 + vla[n + 1]);
  atomic_fetch_add(&variable[0], 1);
}

static int by_variable(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return atomic_load(&variable[0]) ? x - y : y - x;
}

static void on_frame(struct self *self, char call, int n) {
  volatile int times = 0;
  int array[3] = {2, 1, 3};
  switch (call) {
  case 'j': {
    int came = setjmp(back[self->number]);
    times = times + 1;
    if (came && times > 2)
      say(self, came);
    else
      leap(self, n);
    break;
  }
  case 'v': {
    int size = atomic_load(&variable[n]) + 1;
    char vla[size], *more = alloca((size_t)size * 8);
    memset(vla, size, (size_t)size), memset(more, self->number, (size_t)size * 8);
    say(self, vla[size - 1] + more[size * 8 - 1]);
    break;
  }
  case 'q':
    qsort(array, 3, sizeof *array, by_variable);
    say(self, array[0]);
    say(self, array[2]);
    break;
  }
}

static void *taken(_Atomic(long *) *from, long *put) {
  return atomic_exchange(from, put);
}

static void on_heap(struct self *self, char call, int n) {
  long *p = NULL, *old;
  char *map;
  switch (call) {
  case 'm':
    p = n ? aligned_alloc(64, 64) : malloc(24);
    p[0] = self->number + 1, p[2] = 5;
    if ((old = taken(&block[0], p)))
      say(self, old[0] + old[2]);
    free(old);
    break;
  case 'M':
    if ((old = taken(&block[0], NULL))) {
      p = realloc(old, n ? 24 : 400);
      say(self, *p);
      *p += 1;
      free(taken(&block[0], p));
    }
    break;
  case 'l':
    if ((p = atomic_load(&block[0])))
      say(self, n ? *p : 1);
    break;
  case 'f':
    free(taken(&block[0], NULL));
    break;
  case 'p':
    map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    map[n] = (char)(self->number + 1);
    map = atomic_exchange(&page, map);
    if (map)
      say(self, map[0] + map[1]), munmap(map, 4096);
    break;
  }
}

static void on_channel(struct self *self, char call, int n) {
  struct pollfd watched = {n ? ends[0] : event, POLLIN, 0};
  char c = (char)(self->number + 1);
  uint64_t value = (uint64_t)n + 1;
  switch (call) {
  case 'w':
    say_errno(self, write(ends[1], &c, 1));
    break;
  case 'r':
    if (read(ends[0], &c, 1) == 1)
      say(self, c);
    break;
  case 'e':
    say_errno(self, write(event, &value, 8) == 8 ? 1 : -1);
    break;
  case 'E':
    say_errno(self, read(event, &value, 8) == 8 ? (long)value : -1);
    break;
  case 'p':
    say(self, poll(&watched, 1, 0));
    break;
  case 'P':
    say(self, poll(&watched, 1, n ? 1 : -1));
    break;
  }
}

static void on_kept(struct self *self, char call, int n) {
  static const char *names[] = {"TIDE", "MARK"};
  char *word;
  fpos_t position;
  switch (call) {
  case 't':
    word = strtok(NULL, " ");
    say(self, word ? *word : 0);
    break;
  case 'e':
    word = getenv(names[n]);
    say(self, word ? *word : 0);
    break;
  case 'E':
    setenv(names[n], (char[]){(char)('0' + self->number), 0}, 1);
    break;
  case 'U':
    unsetenv(names[n]);
    break;
  case 'c':
    say(self, fgetc(file));
    break;
  case 'u':
    ungetc('0' + self->number, file);
    break;
  case 'f':
    fseek(file, n, SEEK_SET);
    break;
  case 'F':
    say(self, ftell(file));
    break;
  case 'p':
    fgetpos(file, &position);
    say(self, fgetc(file));
    fsetpos(file, &position);
    break;
  case 'L':
    flockfile(file);
    say(self, getc_unlocked(file));
    say(self, getc_unlocked(file));
    funlockfile(file);
    break;
  }
}

static void on_clock(struct self *self, char call, int n) {
  clockid_t clock = n ? CLOCK_MONOTONIC : CLOCK_REALTIME;
  struct timespec t = soon(clock);
  switch (call) {
  case 'l':
    if (!self->holds[0]) {
      int result = pthread_mutex_clocklock(&mutex[0], clock, &t);
      self->holds[0] = !result;
      say(self, result);
    }
    break;
  case 'L':
    if (!self->holds[n])
      pthread_mutex_lock(&mutex[n]), self->holds[n] = true;
    break;
  case 'u':
    if (self->holds[n])
      pthread_mutex_unlock(&mutex[n]), self->holds[n] = false;
    break;
  case 'r':
    if (!self->reads)
      say(self, self->reads = !pthread_rwlock_clockrdlock(&rwlock, clock, &t));
    break;
  case 'R':
    if (!self->reads)
      say(self, self->reads = !pthread_rwlock_clockwrlock(&rwlock, clock, &t));
    break;
  case 'v':
    if (self->reads)
      pthread_rwlock_unlock(&rwlock), self->reads = false;
    break;
  case 'q':
    say_errno(self, sem_clockwait(&semaphore, clock, &t));
    break;
  case 'Q':
    sem_post(&semaphore);
    break;
  case 'c':
    if (self->holds[0])
      say(self, pthread_cond_clockwait(&condition, &mutex[0], clock, &t));
    break;
  case 'C':
    if (self->holds[0])
      pthread_cond_wait(&condition, &mutex[0]);
    break;
  case 's':
    n ? pthread_cond_broadcast(&condition) : pthread_cond_signal(&condition);
    break;
  }
}

static void on_variable(struct self *self, char call, int n) {
  if (call == 'l')
    say(self, atomic_load(&variable[n]));
  if (call == 's')
    atomic_store_explicit(&variable[n], self->number + 1, memory_order_relaxed);
  if (call == 'i')
    atomic_fetch_add(&variable[n], 1);
}

/* The words are a group's letter, a call and an object. */
static void words(struct self *self) {
  for (; *self->word && *self->word != ';'; self->word += self->word[3] == ' ' ? 4 : 3) {
    char call = self->word[1];
    int n = self->word[2] - '0';
    switch (self->word[0]) {
    case 'f':
      on_futex(self, call, n);
      break;
    case 't':
      on_thread(self, call, n);
      break;
    case 's':
      on_signal(self, call, n);
      break;
    case 'j':
      on_frame(self, call, n);
      break;
    case 'h':
      on_heap(self, call, n);
      break;
    case 'c':
      on_channel(self, call, n);
      break;
    case 'k':
      on_kept(self, call, n);
      break;
    case 'l':
      on_clock(self, call, n);
      break;
    default:
      on_variable(self, call, n);
    }
  }
}

static void *run(void *number) {
  static struct self selves[THREADS_MAX];
  struct self *self = &selves[(long)number];
  *self = (struct self){.number = (int)(long)number, .word = program};
  for (int i = 0; i < self->number; i++)
    self->word = strchr(self->word, ';') + 1;
  pthread_cleanup_push(cleanup, self);
  words(self);
  pthread_cleanup_pop(0);
  for (int n = 0; n < 2; n++)
    if (self->holds[n])
      pthread_mutex_unlock(&mutex[n]);
  if (self->reads)
    pthread_rwlock_unlock(&rwlock);
  memcpy(slots[self->number].results, self->results, sizeof self->results);
  return NULL;
}

int main(int argc, char **argv) {
  (void)argc;
  program = argv[1];
  sigset_t set;
  sigemptyset(&set), sigaddset(&set, SIGUSR1), sigaddset(&set, SIGRTMIN);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  signal(SIGUSR2, handler);
  pthread_key_create(&key[0], destroy0), pthread_key_create(&key[1], destroy1);
  sem_init(&semaphore, 0, 0);
  event = eventfd(0, EFD_SEMAPHORE);
  if (pipe(ends))
    return 2;
  file = fmemopen("abcdefghijklmnop", 16, "r");
  strtok(tokens, " ");
  for (const char *s = program; (s = strchr(s, ';')); s++)
    threads++;
  pthread_barrier_init(&barrier, NULL, threads > 1 ? 3 : 2);
  for (long i = 0; i < threads; i++)
    pthread_create(&thread[i], NULL, run, (void *)i);
  run((void *)(long)threads);
  char ended[THREADS_MAX + 1] = "";
  for (long i = 0; i < threads; i++) {
    void *result = NULL;
    if (thread[i])
      pthread_join(thread[i], &result);
    ended[i] = result ? 'c' : '-';
  }
  char text[512];
  snprintf(text, sizeof text, "%s|%s|%s %s %d %d %d %d %d", slots[0].results, slots[1].results,
           slots[2].results, ended, atomic_load(&variable[0]), atomic_load(&variable[1]),
           atomic_load(&futex_word[0]), atomic_load(&futex_word[1]), atomic_load(&destroyed));
  tidemark_outcome("%s", text);
  _exit(0);
}
