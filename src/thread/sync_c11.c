/* C11 threads: glibc's types are those of pthreads, so each call is the pthread call. */
#include "thread/sync_internal.h"
#include <errno.h>
#include <pthread.h>
#include <threads.h>

static int result_of(int error) {
  switch (error) {
  case 0:
    return thrd_success;
  case EBUSY:
    return thrd_busy;
  case ETIMEDOUT:
    return thrd_timedout;
  case ENOMEM:
    return thrd_nomem;
  default:
    return thrd_error;
  }
}

INTERPOSE int thrd_create(thrd_t *t, thrd_start_t start, void *argument) {
  return result_of(pthread_create(t, NULL, (void *(*)(void *))(uintptr_t)start, argument));
}

INTERPOSE int thrd_join(thrd_t t, int *result) {
  void *value = NULL;
  int error = pthread_join(t, &value);
  if (result)
    sync_give(result, &(int){(int)(intptr_t)value}, sizeof *result);
  return result_of(error);
}

INTERPOSE int thrd_detach(thrd_t t) {
  return result_of(pthread_detach(t));
}

INTERPOSE void thrd_exit(int result) {
  pthread_exit((void *)(intptr_t)result);
}

INTERPOSE thrd_t thrd_current(void) {
  return pthread_self();
}

INTERPOSE void thrd_yield(void) {
  sched_yield();
}

INTERPOSE int thrd_sleep(const struct timespec *time, struct timespec *left) {
  if (time->tv_sec < 0 || time->tv_nsec < 0 || time->tv_nsec >= 1000000000)
    return -2;
  if (left)
    sync_give(left, &(struct timespec){0}, sizeof *left);
  thread_sleep((unsigned long)time->tv_sec * 1000000000ul + (unsigned long)time->tv_nsec);
  return 0;
}

INTERPOSE int mtx_init(mtx_t *m, int type) {
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_settype(&attr,
                            type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL);
  return result_of(pthread_mutex_init((pthread_mutex_t *)m, &attr));
}

INTERPOSE void mtx_destroy(mtx_t *m) {
  pthread_mutex_destroy((pthread_mutex_t *)m);
}

INTERPOSE int mtx_lock(mtx_t *m) {
  return result_of(pthread_mutex_lock((pthread_mutex_t *)m));
}

INTERPOSE int mtx_trylock(mtx_t *m) {
  return result_of(pthread_mutex_trylock((pthread_mutex_t *)m));
}

INTERPOSE int mtx_timedlock(mtx_t *m, const struct timespec *time) {
  return result_of(pthread_mutex_timedlock((pthread_mutex_t *)m, time));
}

INTERPOSE int mtx_unlock(mtx_t *m) {
  return result_of(pthread_mutex_unlock((pthread_mutex_t *)m));
}

INTERPOSE int cnd_init(cnd_t *c) {
  return result_of(pthread_cond_init((pthread_cond_t *)c, NULL));
}

INTERPOSE void cnd_destroy(cnd_t *c) {
  pthread_cond_destroy((pthread_cond_t *)c);
}

INTERPOSE int cnd_signal(cnd_t *c) {
  return result_of(pthread_cond_signal((pthread_cond_t *)c));
}

INTERPOSE int cnd_broadcast(cnd_t *c) {
  return result_of(pthread_cond_broadcast((pthread_cond_t *)c));
}

INTERPOSE int cnd_wait(cnd_t *c, mtx_t *m) {
  return result_of(pthread_cond_wait((pthread_cond_t *)c, (pthread_mutex_t *)m));
}

INTERPOSE int cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *time) {
  return result_of(pthread_cond_timedwait((pthread_cond_t *)c, (pthread_mutex_t *)m, time));
}

INTERPOSE int tss_create(tss_t *key, tss_dtor_t destructor) {
  return result_of(pthread_key_create(key, destructor));
}

INTERPOSE void tss_delete(tss_t key) {
  pthread_key_delete(key);
}

INTERPOSE void *tss_get(tss_t key) {
  return pthread_getspecific(key);
}

INTERPOSE int tss_set(tss_t key, void *value) {
  return result_of(pthread_setspecific(key, value));
}

INTERPOSE void call_once(once_flag *flag, void (*routine)(void)) {
  pthread_once((pthread_once_t *)(void *)flag, routine);
}
