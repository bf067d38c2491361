/* Operations of merge_interpreter.c on locks and the like that all machines share:
 *
 *   IN  initialise all of them, flushed if N          hN  sleep for N ms          aR  R = the time in ms, modulo 8
 *   LN  lock     NN  trylock     DN  lock, for 1 ms at most     UN  unlock     cN  consistent     ON  owner failed?
 *       a mutex: 0 and 1 are robust, 2 and 3 are not
 *   SN  post     WN  trywait     VN  wait, for 1 ms at most     a semaphore
 *   rN  read     RN  write       dN  write, for 1 ms at most    uN  unlock          a read-write lock
 *   eN  signal   EN  broadcast   GN  wait, for 1 ms at most, with mutex 2 + N     a condition variable
 *   B   wait at a barrier for two
 *   gR  R = failures so far
 *
 * What they return is added to register 0. */
#ifndef MERGE_SYNC_H
#define MERGE_SYNC_H

#include <errno.h>
#include <immintrin.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <tidemark.h>
#include <time.h>

struct shared {
  pthread_mutex_t mutex[4];
  sem_t semaphore[2];
  pthread_rwlock_t rwlock[2];
  pthread_cond_t condition[2];
  pthread_barrier_t barrier;
};

static struct shared *shared;

static void shared_init(int flushed) {
  pthread_mutexattr_t mutex;
  pthread_mutexattr_init(&mutex);
  pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
  for (int i = 3; i >= 0; i--) {
    if (i == 1)
      pthread_mutexattr_setrobust(&mutex, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&shared->mutex[i], &mutex);
  }
  pthread_rwlockattr_t rwlock;
  pthread_rwlockattr_init(&rwlock);
  pthread_rwlockattr_setpshared(&rwlock, PTHREAD_PROCESS_SHARED);
  pthread_condattr_t condition;
  pthread_condattr_init(&condition);
  pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
  for (int i = 0; i < 2; i++) {
    sem_init(&shared->semaphore[i], 1, (unsigned)i);
    pthread_rwlock_init(&shared->rwlock[i], &rwlock);
    pthread_cond_init(&shared->condition[i], &condition);
  }
  pthread_barrierattr_t barrier;
  pthread_barrierattr_init(&barrier);
  pthread_barrierattr_setpshared(&barrier, PTHREAD_PROCESS_SHARED);
  pthread_barrier_init(&shared->barrier, &barrier, 2);
  for (uintptr_t p = (uintptr_t)shared & -(uintptr_t)64; flushed && p < (uintptr_t)(shared + 1); p += 64)
    _mm_clflush((void *)p);
}

static struct timespec in_a_while(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_nsec += 1000000;
  time.tv_sec += time.tv_nsec / 1000000000;
  time.tv_nsec %= 1000000000;
  return time;
}

static int answer(int status) {
  return status == 0            ? 0
         : status == EOWNERDEAD ? 1
         : status == EBUSY      ? 2
         : status == ETIMEDOUT  ? 3
         : status == EAGAIN     ? 4
         : status == EPERM      ? 5
                                : 6;
}

static int wait_in_vain(int n) {
  struct timespec until = in_a_while();
  pthread_mutex_t *mutex = &shared->mutex[2 + n];
  int status = pthread_mutex_lock(mutex);
  if (!status)
    status = pthread_cond_timedwait(&shared->condition[n], mutex, &until);
  pthread_mutex_unlock(mutex);
  return status;
}

static int sleep_for(int ms) {
  struct timespec time = {0, ms * 1000000L};
  return nanosleep(&time, NULL);
}

static int time_in_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int)(time.tv_nsec / 1000000 % 8);
}

/* What the operation returns, or -1 if it is none of these. */
static int sync_step(const char *op) {
  struct timespec until = in_a_while();
  int n = op[1] ? op[1] - '0' : 0, one = n & 1;
  pthread_mutex_t *mutex = &shared->mutex[n & 3];
  switch (*op) {
  case 'I': shared_init(n); return 0;
  case 'h': return sleep_for(n);
  case 'a': return time_in_ms();
  case 'L': return answer(pthread_mutex_lock(mutex));
  case 'N': return answer(pthread_mutex_trylock(mutex));
  case 'D': return answer(pthread_mutex_timedlock(mutex, &until));
  case 'U': return answer(pthread_mutex_unlock(mutex));
  case 'c': return answer(pthread_mutex_consistent(mutex));
  case 'O': return tidemark_mutex_owner_failed(mutex);
  case 'S': return sem_post(&shared->semaphore[one]);
  case 'W': return sem_trywait(&shared->semaphore[one]) ? answer(errno) : 0;
  case 'V': return sem_timedwait(&shared->semaphore[one], &until) ? answer(errno) : 0;
  case 'r': return answer(pthread_rwlock_rdlock(&shared->rwlock[one]));
  case 'R': return answer(pthread_rwlock_wrlock(&shared->rwlock[one]));
  case 'd': return answer(pthread_rwlock_timedwrlock(&shared->rwlock[one], &until));
  case 'u': return answer(pthread_rwlock_unlock(&shared->rwlock[one]));
  case 'e': return pthread_cond_signal(&shared->condition[one]);
  case 'E': return pthread_cond_broadcast(&shared->condition[one]);
  case 'G': return answer(wait_in_vain(one));
  case 'B': return pthread_barrier_wait(&shared->barrier) ? 1 : 0;
  case 'g': return tidemark_failures();
  default: return -1;
  }
}

#endif
