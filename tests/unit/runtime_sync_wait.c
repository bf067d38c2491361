/* Condition variables, read-write locks, spin locks, barriers, semaphores, futexes, once, keys. */
#include "runtime_thread_stand_ins.h"
#include "thread/sync_internal.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>

static pthread_mutex_t mutex;
static pthread_cond_t cond;
static int turn, seen[8], seen_count;

static void start(void) {
  pthread_mutex_init(&mutex, NULL);
  pthread_cond_init(&cond, NULL);
  turn = seen_count = 0;
}

static void *wait_for_turn(void *number) {
  pthread_mutex_lock(&mutex);
  while (!turn)
    pthread_cond_wait(&cond, &mutex);
  turn--;
  seen[seen_count++] = (int)(long)number;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void signal_three(void) {
  pthread_t t[3];
  start();
  for (long i = 0; i < 3; i++)
    pthread_create(&t[i], NULL, wait_for_turn, (void *)i);
  sched_yield();
  EXPECT(pthread_cond_destroy(&cond) == EBUSY);
  pthread_mutex_lock(&mutex);
  turn = 1;
  pthread_cond_signal(&cond);
  pthread_mutex_unlock(&mutex);
  pthread_join(t[0], NULL);
  EXPECT(seen_count == 1 && seen[0] == 0);
  turn = 2;
  pthread_cond_broadcast(&cond);
  pthread_join(t[1], NULL);
  pthread_join(t[2], NULL);
  EXPECT(seen_count == 3 && seen[1] == 1 && seen[2] == 2);
  EXPECT(pthread_cond_destroy(&cond) == 0);
}

static void conditions(void **state) {
  (void)state;
  assert_stop(STOP_FINISHED, signal_three);
}

static void wait_in_vain(void) {
  struct timespec t = {.tv_sec = 3};
  pthread_condattr_t attr;
  start();
  pthread_mutex_lock(&mutex);
  EXPECT(pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &t) == ETIMEDOUT);
  EXPECT(thread_virtual_time() == 3000000000ul);
  pthread_condattr_init(&attr);
  pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
  pthread_cond_init(&cond, &attr);
  t.tv_sec = 4;
  EXPECT(pthread_cond_timedwait(&cond, &mutex, &t) == ETIMEDOUT);
  EXPECT(thread_virtual_time() == 4000000000ul);
  EXPECT(pthread_mutex_trylock(&mutex) == EBUSY); /* it was taken back */
  pthread_cond_wait(&cond, &mutex);
}

static void conditions_with_deadlines(void **state) {
  (void)state;
  assert_stop(STOP_DEADLOCK, wait_in_vain);
  assert_non_null(strstr(ended.message, "waits for condition variable at 0x"));
}

static pthread_rwlock_t rwlock;
static int result_of_other;

static void *read_it(void *unused) {
  result_of_other = pthread_rwlock_tryrdlock(&rwlock);
  return unused;
}

static void *write_it(void *unused) {
  result_of_other = pthread_rwlock_wrlock(&rwlock);
  seen[seen_count++] = 1;
  pthread_rwlock_unlock(&rwlock);
  return unused;
}

static void read_and_write(void) {
  pthread_t a, b;
  struct timespec t = {.tv_sec = 1};
  start();
  pthread_rwlock_init(&rwlock, NULL);
  EXPECT(pthread_rwlock_rdlock(&rwlock) == 0 && pthread_rwlock_rdlock(&rwlock) == 0);
  EXPECT(pthread_rwlock_trywrlock(&rwlock) == EBUSY && pthread_rwlock_destroy(&rwlock) == EBUSY);
  EXPECT(pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &t) == ETIMEDOUT);
  pthread_create(&a, NULL, write_it, NULL);
  pthread_create(&b, NULL, read_it, NULL);
  pthread_join(b, NULL);
  EXPECT(result_of_other == 0 && seen_count == 0); /* readers first */
  pthread_rwlock_unlock(&rwlock);
  pthread_rwlock_unlock(&rwlock);
  EXPECT(pthread_rwlock_unlock(&rwlock) == 0); /* the reader's that has ended */
  pthread_join(a, NULL);
  EXPECT(result_of_other == 0 && seen_count == 1);
  EXPECT(pthread_rwlock_wrlock(&rwlock) == 0 && pthread_rwlock_wrlock(&rwlock) == EDEADLK);
  EXPECT(pthread_rwlock_rdlock(&rwlock) == EDEADLK && pthread_rwlock_tryrdlock(&rwlock) == EBUSY);
  EXPECT(pthread_rwlock_unlock(&rwlock) == 0 && pthread_rwlock_destroy(&rwlock) == 0);
}

static void rwlocks(void **state) {
  (void)state;
  assert_stop(STOP_FINISHED, read_and_write);
}

static pthread_spinlock_t spin;

static void *spin_and_leave(void *unused) {
  pthread_spin_lock(&spin);
  seen[seen_count++] = 1;
  pthread_spin_unlock(&spin);
  return unused;
}

static void spin_twice(void) {
  pthread_t t;
  start();
  pthread_spin_init(&spin, 0);
  pthread_spin_lock(&spin);
  pthread_create(&t, NULL, spin_and_leave, NULL);
  sched_yield();
  EXPECT(pthread_spin_trylock(&spin) == EBUSY && seen_count == 0);
  pthread_spin_unlock(&spin);
  pthread_join(t, NULL);
  EXPECT(seen_count == 1 && pthread_spin_trylock(&spin) == 0);
  pthread_spin_lock(&spin);
}

static void spinlocks(void **state) {
  (void)state;
  assert_stop(STOP_DEADLOCK, spin_twice);
}

static pthread_barrier_t barrier;

static void *arrive(void *unused) {
  for (int i = 0; i < 2; i++)
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
      seen_count++;
  return unused;
}

static void meet(void) {
  pthread_t t[2];
  start();
  EXPECT(pthread_barrier_init(&barrier, NULL, 0) == EINVAL);
  EXPECT(pthread_barrier_init(&barrier, NULL, 3) == 0);
  for (int i = 0; i < 2; i++)
    pthread_create(&t[i], NULL, arrive, NULL);
  arrive(NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(t[i], NULL);
  EXPECT(seen_count == 2 && pthread_barrier_destroy(&barrier) == 0);
}

static void barriers(void **state) {
  (void)state;
  assert_stop(STOP_FINISHED, meet);
}

static sem_t *semaphore;

static void *post_it(void *unused) {
  sem_post(semaphore);
  return unused;
}

static void count_units(void) {
  pthread_t t;
  sem_t unnamed;
  int value;
  struct timespec late = {.tv_sec = 1};
  semaphore = &unnamed;
  EXPECT(sem_init(semaphore, 0, 1) == 0 && sem_wait(semaphore) == 0);
  EXPECT(sem_trywait(semaphore) == -1 && errno == EAGAIN);
  EXPECT(sem_clockwait(semaphore, CLOCK_MONOTONIC, &late) == -1 && errno == ETIMEDOUT);
  pthread_create(&t, NULL, post_it, NULL);
  EXPECT(sem_wait(semaphore) == 0 && sem_post(semaphore) == 0);
  EXPECT(sem_getvalue(semaphore, &value) == 0 && value == 1 && sem_destroy(semaphore) == 0);
  EXPECT(sem_open("/s", 0) == SEM_FAILED && errno == ENOENT);
  semaphore = sem_open("/s", O_CREAT, 0600, 0);
  EXPECT(semaphore != SEM_FAILED && sem_open("/s", 0) == semaphore);
  EXPECT(sem_open("/s", O_CREAT | O_EXCL, 0600, 0) == SEM_FAILED && errno == EEXIST);
  pthread_create(&t, NULL, post_it, NULL);
  EXPECT(sem_wait(semaphore) == 0 && sem_unlink("/s") == 0 && sem_unlink("/s") == -1);
}

static void semaphores(void **state) {
  (void)state;
  assert_stop(STOP_FINISHED, count_units);
}

/* syscall() itself would take the call for the worker's own. */
static long call_futex(long op, int *word, long value, const struct timespec *t) {
  long arguments[6] = {(long)word, op, value, (long)t, 0, 0xffffffff};
  return sync_system_call(SYS_futex, arguments);
}

static int word;

static void *wake_it(void *unused) {
  word = 1;
  EXPECT(call_futex(FUTEX_WAKE, &word, 1, NULL) == 0); /* not whoever waits privately */
  seen[seen_count++] = (int)call_futex(FUTEX_WAKE_PRIVATE, &word, 1, NULL);
  return unused;
}

static void wait_on_word(void) {
  pthread_t t;
  struct timespec second = {.tv_sec = 1};
  start();
  word = 0;
  EXPECT(call_futex(FUTEX_WAIT, &word, 1, NULL) == -1 && errno == EAGAIN);
  EXPECT(call_futex(FUTEX_WAIT, &word, 0, &second) == -1 && errno == ETIMEDOUT);
  EXPECT(thread_virtual_time() == 1000000000ul);
  pthread_create(&t, NULL, wake_it, NULL);
  EXPECT(call_futex(FUTEX_WAIT_BITSET_PRIVATE, &word, 0, NULL) == 0);
  pthread_join(t, NULL);
  EXPECT(seen_count == 1 && seen[0] == 1);
}

static void futexes(void **state) {
  (void)state;
  assert_stop(STOP_FINISHED, wait_on_word);
}

static pthread_once_t once;

static void initialise(void) {
  sched_yield();
  seen_count++;
}

static void *use_once(void *unused) {
  pthread_once(&once, initialise);
  EXPECT(seen_count == 1);
  return unused;
}

static void initialise_once(void) {
  pthread_t t[3];
  start();
  once = PTHREAD_ONCE_INIT;
  for (int i = 0; i < 3; i++)
    pthread_create(&t[i], NULL, use_once, NULL);
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], NULL);
  use_once(NULL);
}

static void once_only(void **state) {
  (void)state;
  assert_stop(STOP_FINISHED, initialise_once);
}

static pthread_key_t key, again;

static void destroy_value(void *value) {
  seen[seen_count++] = (int)(long)value;
  if (value == (void *)5)
    pthread_setspecific(again, (void *)6);
}

static void *with_values(void *unused) {
  EXPECT(pthread_getspecific(key) == NULL);
  EXPECT(pthread_setspecific(key, (void *)5) == 0 && pthread_getspecific(key) == (void *)5);
  return unused;
}

static void set_values(void) {
  pthread_t t;
  pthread_key_t gone;
  start();
  EXPECT(pthread_key_create(&again, destroy_value) == 0);
  EXPECT(pthread_key_create(&key, destroy_value) == 0);
  EXPECT(pthread_key_create(&gone, NULL) == 0 && pthread_setspecific(gone, &t) == 0);
  EXPECT(pthread_key_delete(gone) == 0 && pthread_setspecific(gone, &t) == EINVAL);
  EXPECT(pthread_key_create(&gone, NULL) == 0 && pthread_getspecific(gone) == NULL);
  pthread_setspecific(key, (void *)1);
  pthread_create(&t, NULL, with_values, NULL);
  pthread_join(t, NULL);
  EXPECT(seen_count == 2 && seen[0] == 5 && seen[1] == 6);
  EXPECT(pthread_getspecific(key) == (void *)1);
}

static void keys(void **state) {
  (void)state;
  assert_stop(STOP_FINISHED, set_values);
}

static void cancel(void) {
  int old;
  EXPECT(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0 && old == PTHREAD_CANCEL_ENABLE);
  EXPECT(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old) == 0 &&
         old == PTHREAD_CANCEL_DEFERRED);
  pthread_testcancel();
  pthread_cancel(pthread_self());
}

static void asynchronous_cancellation_is_refused(void **state) {
  (void)state;
  assert_stop(STOP_REFUSED, cancel);
  assert_non_null(strstr(ended.message, "pthread_cancel"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(conditions), cmocka_unit_test(conditions_with_deadlines),
      cmocka_unit_test(rwlocks),    cmocka_unit_test(spinlocks),
      cmocka_unit_test(barriers),   cmocka_unit_test(semaphores),
      cmocka_unit_test(futexes),    cmocka_unit_test(once_only),
      cmocka_unit_test(keys),       cmocka_unit_test(asynchronous_cancellation_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
