/* How the threads of the programs of threads_source.py are started, and what they wait for: with POSIX, C11 (LOCKS_C11,
 * THREADS_C11) or the C++ library (LOCKS_STD, THREADS_STD, THREADS_JTHREAD, THREADS_ASYNC). */
#ifndef TESTS_FUZZ_THREADS_SOURCE_H
#define TESTS_FUZZ_THREADS_SOURCE_H

#include "source.h"
#include <linux/futex.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#ifdef __cplusplus
#include <barrier>
#include <condition_variable>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <thread>
#else
#include <threads.h>
#endif

#define THREADS 4

static uint8_t *blocks[2];            /* on the heap */
static pthread_barrier_t barriers[4]; /* by how many meet there */
static sem_t semaphores[2];

static __attribute__((unused)) struct timespec soon(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_sec += 10;
  return time;
}

#ifdef LOCKS_STD
static std::mutex mutexes[2];
static std::condition_variable conditions[2];
#define LOCK(n) mutexes[n].lock()
#define UNLOCK(n) mutexes[n].unlock()
#define TRY(n) mutexes[n].try_lock()
#define SIGNAL(n) conditions[n].notify_one()
#define BROADCAST(n) conditions[n].notify_all()
static __attribute__((unused)) void await(int n) {
  std::unique_lock<std::mutex> lock(mutexes[n], std::adopt_lock);
  conditions[n].wait(lock);
  lock.release();
}
static __attribute__((unused)) int await_a_while(int n) {
  std::unique_lock<std::mutex> lock(mutexes[n], std::adopt_lock);
  bool late = conditions[n].wait_for(lock, std::chrono::seconds(10)) == std::cv_status::timeout;
  lock.release();
  return late;
}
#define AWAIT(n) await(n)
#define AWAIT_A_WHILE(n) await_a_while(n)
#elif defined LOCKS_C11
static mtx_t mutexes[2];
static cnd_t conditions[2];
#define LOCK(n) mtx_lock(&mutexes[n])
#define UNLOCK(n) mtx_unlock(&mutexes[n])
#define TRY(n) (mtx_trylock(&mutexes[n]) == thrd_success)
#define SIGNAL(n) cnd_signal(&conditions[n])
#define BROADCAST(n) cnd_broadcast(&conditions[n])
#define AWAIT(n) cnd_wait(&conditions[n], &mutexes[n])
static __attribute__((unused)) int await_a_while(int n) {
  struct timespec time = soon();
  return cnd_timedwait(&conditions[n], &mutexes[n], &time) != thrd_success;
}
#define AWAIT_A_WHILE(n) await_a_while(n)
#else
static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_cond_t conditions[2] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER};
#define LOCK(n) pthread_mutex_lock(&mutexes[n])
#define UNLOCK(n) pthread_mutex_unlock(&mutexes[n])
#define TRY(n) (!pthread_mutex_trylock(&mutexes[n]))
#define SIGNAL(n) pthread_cond_signal(&conditions[n])
#define BROADCAST(n) pthread_cond_broadcast(&conditions[n])
#define AWAIT(n) pthread_cond_wait(&conditions[n], &mutexes[n])
static __attribute__((unused)) int await_a_while(int n) {
  struct timespec time = soon();
  return pthread_cond_timedwait(&conditions[n], &mutexes[n], &time) != 0;
}
#define AWAIT_A_WHILE(n) await_a_while(n)
static __attribute__((unused)) int lock_for_a_while(int n) {
  struct timespec time = soon();
  return pthread_mutex_timedlock(&mutexes[n], &time) == 0;
}
#endif

#ifdef LOCKS_STD
static std::shared_mutex rwlock;
#define READ_LOCK() rwlock.lock_shared()
#define WRITE_LOCK() rwlock.lock()
#define TRY_READ() rwlock.try_lock_shared()
#define TRY_WRITE() rwlock.try_lock()
#define RW_UNLOCK() rwlock.unlock()
#else
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
#define READ_LOCK() pthread_rwlock_rdlock(&rwlock)
#define WRITE_LOCK() pthread_rwlock_wrlock(&rwlock)
#define TRY_READ() (!pthread_rwlock_tryrdlock(&rwlock))
#define TRY_WRITE() (!pthread_rwlock_trywrlock(&rwlock))
#define RW_UNLOCK() pthread_rwlock_unlock(&rwlock)
#endif

static __attribute__((unused)) long futex(void *word, int what, unsigned n) {
  return syscall(SYS_futex, word, what, n, NULL);
}

static __attribute__((unused)) void say(int value) {
  note(" %llx", (unsigned long long)value);
}

static __attribute__((unused)) void lock_both(int first) {
#ifdef LOCKS_STD
  std::lock(mutexes[first], mutexes[1 - first]);
#else
  for (;; first = 1 - first) {
    LOCK(first);
    if (TRY(1 - first))
      break;
    UNLOCK(first);
  }
#endif
  UNLOCK(0);
  UNLOCK(1);
}

static __attribute__((unused)) void poll_locked(const uint8_t *p, uint64_t wanted) {
  for (uint64_t value = ~wanted; value != wanted;) {
    LOCK(0);
    value = __atomic_load_n((const uint64_t *)p, __ATOMIC_RELAXED);
    UNLOCK(0);
  }
}

typedef void operations(void);

/* What threads say is no step: it is handed over by a function of libc that nobody watches. */
static struct log said[THREADS];

static void run_thread(operations *run, long number) {
  struct log log;
  memset(&log, 0, sizeof log);
  seen = &log;
  run();
  wmemcpy((wchar_t *)said[number].text, (const wchar_t *)log.text,
          sizeof log.text / sizeof(wchar_t));
}

static operations *const *of_threads;

#if defined THREADS_C11
static int c11_thread(void *number) {
  run_thread(of_threads[(long)number], (long)number);
  return 0;
}
#else
static __attribute__((unused)) void *posix_thread(void *number) {
  run_thread(of_threads[(long)number], (long)number);
  return NULL;
}
#endif

static void run_all(operations *const *programs, int count) {
  of_threads = programs;
#if defined THREADS_STD || defined THREADS_JTHREAD
#ifdef THREADS_STD
  std::thread threads[THREADS];
#else
  std::jthread threads[THREADS];
#endif
  for (long i = 0; i < count; i++)
    threads[i] = std::remove_reference_t<decltype(threads[0])>(run_thread, programs[i], i);
  for (int i = 0; i < count; i++)
    threads[i].join();
#elif defined THREADS_ASYNC
  std::future<void> threads[THREADS];
  for (long i = 0; i < count; i++)
    threads[i] = std::async(std::launch::async, run_thread, programs[i], i);
  for (int i = 0; i < count; i++)
    threads[i].get();
#elif defined THREADS_C11
  thrd_t threads[THREADS];
  for (long i = 0; i < count; i++)
    thrd_create(&threads[i], c11_thread, (void *)i);
  for (int i = 0; i < count; i++)
    thrd_join(threads[i], NULL);
#else
  pthread_t threads[THREADS];
  for (long i = 0; i < count; i++)
    pthread_create(&threads[i], NULL, posix_thread, (void *)i);
  for (int i = 0; i < count; i++)
    pthread_join(threads[i], NULL);
#endif
}

static __attribute__((aligned(16))) uint8_t global_memory[16];
static struct {
  int before;
  __attribute__((aligned(16))) uint8_t memory[16];
} field;

static void begin(int place) {
  region = place == 0 ? global_memory : place == 1 ? field.memory : (uint8_t *)calloc(1, 16);
  for (int i = 0; i < 2; i++)
    blocks[i] = (uint8_t *)calloc(1, 8);
#ifdef LOCKS_C11
  for (int i = 0; i < 2; i++) {
    mtx_init(&mutexes[i], mtx_plain);
    cnd_init(&conditions[i]);
  }
#endif
  for (int i = 0; i < 2; i++)
    sem_init(&semaphores[i], 0, 0);
  for (unsigned i = 1; i < 4; i++)
    pthread_barrier_init(&barriers[i], NULL, i);
}

static void end(int count) {
  static struct log all[THREADS];
  char outcome[4 * sizeof all[0].text + 40] = "";
  for (int i = 0; i < count; i++) {
    wmemcpy((wchar_t *)all[i].text, (const wchar_t *)said[i].text,
            sizeof all[i].text / sizeof(wchar_t));
    sprintf(outcome + strlen(outcome), "%s;", all[i].text);
  }
  for (size_t i = 0; i < 16; i++)
    sprintf(outcome + strlen(outcome), "%x", region[i]);
  tidemark_outcome("%s", outcome);
}

static int run_program(void (*program)(void)) {
  program();
  return 0;
}

#endif
