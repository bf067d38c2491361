/* Runs a program of threads_random.py: threads that access 16 bytes of ordinary memory, and from 10 and 18 on
 * two heap blocks of 8 bytes.
 *
 *   s8@0=1  store, relaxed      S4@4=2  store, sequentially consistent     l8@0   load
 *   x8@0=1  exchange            a8@0=1  fetch and add                      c8@0=0,1  compare and swap
 *   f  full fence               L0 U0   lock and unlock a mutex            w8@0=1  wait until it is 1
 *   y  yield                    A8@0=1  leave the execution out unless it is 1
 *   n3  a number below 3        N8@0=3  store a number below 3, relaxed
 *   P8@0=1  look with mutex 0 locked, until it is 1
 *   k8@0=1  try until it was 0, and is 1 now     q8@0=1  the same, but look first        W8@0=1,2  wait until it is 1 and its
 *   neighbour 2                 E8@0=1,2  wait while it is 1 and its neighbour 2
 *   F0  free a block            C0   wait for a condition, with mutex 0     G0   signal it
 *   T0  wait, but not for ever  M0   try for a while to lock, and unlock    Y0   try to lock, and unlock
 *   R0  try until it is locked, and unlock                                  Z0   lock both mutexes, 0 first, as std::lock does, and unlock
 *   i8@0=1  add, and do not look at what was there     I8@0=1  the same with exclusive or    j8@0=1  add, relaxed
 *   B2   meet one other thread at a barrier            D3   the same with two others; 1 if it was the last of them
 *   v4@0=1  futex: wait once if it is 1; 0 if the thread slept, otherwise 1      V4@0=2  wake up at most two; how many
 *   u4@0=1  wait by futex until it is 1              H0  wake up all who wait for a condition
 *   b0  post a semaphore        e0  wait for it         h0  try it       O0 X0 o0  lock for readers, for writers, unlock
 *   Q0 J0  try to lock for readers, for writers, and unlock
 *   p8@0=1  plain store         r8@0  plain load: for data races
 *
 * Threads are separated by ';'.  The outcome is what each has loaded, and the memory at the end.  "=PROGRAM" is three threads
 * that cannot be told apart, and what they have loaded is sorted. */
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <tidemark.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#define THREADS 4
#define SAME 3

static _Alignas(16) unsigned char memory[16];
static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t conditions[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
static sem_t semaphores[2];
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barriers[4]; /* by how many meet there */
static unsigned char *blocks[2];
static char *programs[THREADS];
static char loaded[THREADS][256];

#define SIZES(DO) \
  switch (size) { \
  case 1: \
    DO(uint8_t); \
    break; \
  case 2: \
    DO(uint16_t); \
    break; \
  case 4: \
    DO(uint32_t); \
    break; \
  default: \
    DO(uint64_t); \
    break; \
  }

static uint64_t carry_out(char kind, void *p, unsigned size, uint64_t a, uint64_t b) {
  uint64_t result = 0;
#define AT(type) ((_Atomic type *)p)
#define STORE(type) atomic_store_explicit(AT(type), (type)a, memory_order_relaxed)
#define STORE_SC(type) atomic_store(AT(type), (type)a)
#define LOAD(type) result = atomic_load_explicit(AT(type), memory_order_relaxed)
#define EXCHANGE(type) result = atomic_exchange(AT(type), (type)a)
#define ADD(type) result = atomic_fetch_add(AT(type), (type)a)
#define COUNT(type) atomic_fetch_add(AT(type), (type)a)
#define COUNT_RELAXED(type) atomic_fetch_add_explicit(AT(type), (type)a, memory_order_relaxed)
#define FLIP(type) atomic_fetch_xor(AT(type), (type)a)
#define PLAIN_STORE(type) *(type *)p = (type)a
#define PLAIN_LOAD(type) result = *(type *)p
#define CAS(type) \
  do { \
    type expected = (type)a; \
    atomic_compare_exchange_strong(AT(type), &expected, (type)b); \
    result = expected; \
  } while (0)
#define WAIT(type) \
  while (atomic_load_explicit(AT(type), memory_order_relaxed) != (type)a) \
  continue
#define TAKE(type) \
  for (type expected = 0; !atomic_compare_exchange_strong(AT(type), &expected, (type)a); \
       expected = 0) \
  continue
#define LOOK_AND_TAKE(type) \
  for (type expected;;) { \
    expected = 0; \
    if (atomic_load_explicit(AT(type), memory_order_relaxed) == 0 && \
        atomic_compare_exchange_strong(AT(type), &expected, (type)a)) \
      break; \
  }
#define NEIGHBOUR(type) ((_Atomic type *)(memory + (((unsigned char *)p - memory) ^ 8)))
#define WAIT_FOR_BOTH(type) \
  for (type x, y;;) { \
    x = atomic_load_explicit(AT(type), memory_order_relaxed); \
    y = atomic_load_explicit(NEIGHBOUR(type), memory_order_relaxed); \
    if (x == (type)a && y == (type)b) \
      break; \
  }
#define WAIT_FOR_EITHER(type) \
  while (atomic_load_explicit(AT(type), memory_order_relaxed) == (type)a && \
         atomic_load_explicit(NEIGHBOUR(type), memory_order_relaxed) == (type)b) \
  continue
  switch (kind) {
  case 's':
    SIZES(STORE) break;
  case 'S':
    SIZES(STORE_SC) break;
  case 'l':
    SIZES(LOAD) break;
  case 'x':
    SIZES(EXCHANGE) break;
  case 'a':
    SIZES(ADD) break;
  case 'c':
    SIZES(CAS) break;
  case 'i':
    SIZES(COUNT) break;
  case 'j':
    SIZES(COUNT_RELAXED) break;
  case 'I':
    SIZES(FLIP) break;
  case 'p':
    SIZES(PLAIN_STORE) break;
  case 'r':
    SIZES(PLAIN_LOAD) break;
  case 'w':
    SIZES(WAIT) break;
  case 'k':
    SIZES(TAKE) break;
  case 'q':
    SIZES(LOOK_AND_TAKE) break;
  case 'W':
    SIZES(WAIT_FOR_BOTH) break;
  case 'E':
    SIZES(WAIT_FOR_EITHER) break;
  }
  return result;
}

static void *place(unsigned offset) {
  return offset < sizeof memory ? memory + offset : blocks[offset / 8 - 2] + offset % 8;
}

static struct timespec soon(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_sec += 10;
  return time;
}

static bool try_and_unlock(char kind, pthread_mutex_t *mutex) {
  struct timespec time = soon();
  int failed = kind == 'Y' ? pthread_mutex_trylock(mutex) : pthread_mutex_timedlock(mutex, &time);
  if (!failed)
    pthread_mutex_unlock(mutex);
  return failed;
}

static bool try_rwlock(char kind) {
  int failed = kind == 'Q' ? pthread_rwlock_tryrdlock(&rwlock) : pthread_rwlock_trywrlock(&rwlock);
  if (!failed)
    pthread_rwlock_unlock(&rwlock);
  return failed;
}

static void retry_and_unlock(pthread_mutex_t *mutex) {
  while (pthread_mutex_trylock(mutex))
    sched_yield();
  pthread_mutex_unlock(mutex);
}

static void lock_both(unsigned first) {
  for (;; first = 1 - first) {
    pthread_mutex_lock(&mutexes[first]);
    if (!pthread_mutex_trylock(&mutexes[1 - first]))
      break;
    pthread_mutex_unlock(&mutexes[first]);
  }
  pthread_mutex_unlock(&mutexes[0]);
  pthread_mutex_unlock(&mutexes[1]);
}

static void poll(void *p, uint64_t wanted) {
  for (uint64_t value = ~wanted; value != wanted;) {
    pthread_mutex_lock(&mutexes[0]);
    value = atomic_load_explicit((_Atomic uint64_t *)p, memory_order_relaxed);
    pthread_mutex_unlock(&mutexes[0]);
  }
}

static long futex(void *word, int what, unsigned n) {
  return syscall(SYS_futex, word, what, n, NULL);
}

static void wait_by_futex(void *word, unsigned wanted) {
  for (unsigned seen;
       (seen = atomic_load_explicit((_Atomic unsigned *)word, memory_order_relaxed)) != wanted;)
    futex(word, FUTEX_WAIT_PRIVATE, seen);
}

static bool wait_a_while(unsigned n) {
  struct timespec time = soon();
  return pthread_cond_timedwait(&conditions[n], &mutexes[n], &time);
}

static bool is_last(pthread_barrier_t *barrier) {
  return pthread_barrier_wait(barrier) == PTHREAD_BARRIER_SERIAL_THREAD;
}

static void carry_out_all(char *at, char *log) {
  while (*at) {
    char kind = *at++;
    unsigned size = 8, offset = 0;
    uint64_t a = 0, b = 0;
    if (*at >= '0' && *at <= '9')
      size = (unsigned)strtoul(at, &at, 10);
    if (*at == '@')
      offset = (unsigned)strtoul(at + 1, &at, 16);
    if (*at == '=')
      a = strtoull(at + 1, &at, 16);
    if (*at == ',')
      b = strtoull(at + 1, &at, 16);
    while (*at == ' ')
      at++;
    if (kind == 'y')
      sched_yield();
    else if (kind == 'f')
      atomic_thread_fence(memory_order_seq_cst);
    else if (kind == 'L')
      pthread_mutex_lock(&mutexes[size % 2]);
    else if (kind == 'U')
      pthread_mutex_unlock(&mutexes[size % 2]);
    else if (kind == 'C')
      pthread_cond_wait(&conditions[size % 2], &mutexes[size % 2]);
    else if (kind == 'G')
      pthread_cond_signal(&conditions[size % 2]);
    else if (kind == 'B')
      pthread_barrier_wait(&barriers[size % 4]);
    else if (kind == 'D')
      strcat(log, is_last(&barriers[size % 4]) ? " 1" : " 0");
    else if (kind == 'F')
      free(blocks[size % 2]);
    else if (kind == 'R')
      retry_and_unlock(&mutexes[size % 2]);
    else if (kind == 'Z')
      lock_both(size % 2);
    else if (kind == 'P')
      poll(place(offset), a);
    else if (kind == 'v')
      strcat(log, futex(place(offset), FUTEX_WAIT_PRIVATE, (unsigned)a) ? " 1" : " 0");
    else if (kind == 'V')
      sprintf(log + strlen(log), " %lx", futex(place(offset), FUTEX_WAKE_PRIVATE, (unsigned)a));
    else if (kind == 'H')
      pthread_cond_broadcast(&conditions[size % 2]);
    else if (kind == 'b')
      sem_post(&semaphores[size % 2]);
    else if (kind == 'e')
      sem_wait(&semaphores[size % 2]);
    else if (kind == 'h')
      strcat(log, sem_trywait(&semaphores[size % 2]) ? " 1" : " 0");
    else if (kind == 'O')
      pthread_rwlock_rdlock(&rwlock);
    else if (kind == 'X')
      pthread_rwlock_wrlock(&rwlock);
    else if (kind == 'o')
      pthread_rwlock_unlock(&rwlock);
    else if (kind == 'Q' || kind == 'J')
      strcat(log, try_rwlock(kind) ? " 1" : " 0");
    else if (kind == 'u')
      wait_by_futex(place(offset), (unsigned)a);
    else if (kind == 'n')
      sprintf(log + strlen(log), " %x", tidemark_choose(size));
    else if (kind == 'N') {
      unsigned value = tidemark_choose((unsigned)a);
      sprintf(log + strlen(log), " %x", value);
      carry_out('s', place(offset), size, value, 0);
    } else if (kind == 'A')
      tidemark_assume(carry_out('l', place(offset), size, 0, 0) == a);
    else if (kind == 'T')
      strcat(log, wait_a_while(size % 2) ? " 1" : " 0");
    else if (kind == 'M' || kind == 'Y')
      strcat(log, try_and_unlock(kind, &mutexes[size % 2]) ? " 1" : " 0");
    else {
      uint64_t value = carry_out(kind, place(offset), size, a, b);
      if (strchr("lxacr", kind))
        sprintf(log + strlen(log), " %llx", (unsigned long long)value);
    }
  }
}

/* By a function of libc that nobody watches: what threads say is no step. */
static void hand_over(char *to, const char *from) {
  wmemcpy((wchar_t *)to, (const wchar_t *)from, sizeof loaded[0] / sizeof(wchar_t));
}

static void *run(void *argument) {
  _Alignas(wchar_t) char log[sizeof loaded[0]] = "";
  carry_out_all(programs[(long)argument], log);
  hand_over(loaded[(long)argument], log);
  return NULL;
}

static void *run_same(void *program) {
  _Alignas(wchar_t) char log[sizeof loaded[0]] = "";
  carry_out_all(program, log);
  char *result = calloc(1, sizeof log);
  hand_over(result, log);
  return result;
}

static int compare(const void *a, const void *b) {
  return strcmp(a, b);
}

int main(int argc, char **argv) {
  pthread_t threads[THREADS];
  long count = 0;
  if (argc != 2)
    return 2;
  for (char *text = strtok(strdup(argv[1]), ";"); text && count < THREADS; text = strtok(NULL, ";"))
    programs[count++] = text;
  for (int i = 0; i < 2; i++) {
    blocks[i] = calloc(1, 8);
    sem_init(&semaphores[i], 0, 0);
  }
  for (unsigned i = 1; i < 4; i++)
    pthread_barrier_init(&barriers[i], NULL, i);
  bool same = *programs[0] == '=';
  count = same ? SAME : count;
  for (long i = 0; i < count; i++)
    pthread_create(&threads[i], NULL, same ? run_same : run, same ? programs[0] + 1 : (void *)i);
  for (long i = 0; i < count; i++) {
    void *log;
    pthread_join(threads[i], &log);
    if (same)
      hand_over(loaded[i], log);
  }
  _Alignas(wchar_t) char said[THREADS][sizeof loaded[0]];
  for (long i = 0; i < count; i++)
    hand_over(said[i], loaded[i]);
  if (same)
    qsort(said, SAME, sizeof said[0], compare);
  char outcome[1200] = "";
  for (long i = 0; i < count; i++)
    sprintf(outcome + strlen(outcome), "%s;", said[i]);
  for (size_t i = 0; i < sizeof memory; i++)
    sprintf(outcome + strlen(outcome), "%x", memory[i]);
  tidemark_outcome("%s", outcome);
  return 0;
}
