/* Mutexes: kinds, errors, robustness, reuse of memory, owners on failing machines. */
#include "runtime_thread_stand_ins.h"
#include "thread/sync_internal.h"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <tidemark.h>

static pthread_mutex_t mutex;
static int result_of_other;

static void make(int type, int robust) {
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_settype(&attr, type);
  pthread_mutexattr_setrobust(&attr, robust);
  EXPECT(pthread_mutex_init(&mutex, &attr) == 0);
}

static void *try_it(void *unused) {
  result_of_other = pthread_mutex_trylock(&mutex);
  return unused;
}

static void *unlock_it(void *unused) {
  result_of_other = pthread_mutex_unlock(&mutex);
  return unused;
}

static void *lock_and_die(void *unused) {
  result_of_other = pthread_mutex_lock(&mutex);
  return unused;
}

/* What another thread gets from that operation. */
static int other(void *(*body)(void *)) {
  pthread_t t;
  pthread_create(&t, NULL, body, NULL);
  pthread_join(t, NULL);
  return result_of_other;
}

static void use_normal(void) {
  make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED);
  int before = fences;
  EXPECT(pthread_mutex_lock(&mutex) == 0 &&
         fences == before); /* no locked instruction before there are threads */
  EXPECT(pthread_mutex_trylock(&mutex) == EBUSY && pthread_mutex_destroy(&mutex) == EBUSY);
  EXPECT(other(try_it) == EBUSY);
  EXPECT(other(unlock_it) == 0); /* as glibc: anybody may unlock it */
  EXPECT(other(try_it) == 0);
  EXPECT(pthread_mutex_unlock(&mutex) == 0 && pthread_mutex_destroy(&mutex) == 0);
  EXPECT(pthread_mutex_lock(&mutex) == EINVAL);
}

static void normal(void **state) {
  (void)state;
  assert_stop(STOP_FINISHED, use_normal);
}

/* Programs initialise tens of thousands of locks and use a few. */
static void initialise_many(void) {
  static pthread_mutex_t mutexes[100];
  static pthread_cond_t conditions[100];
  static pthread_rwlock_t locks[100];
  static sem_t semaphores[100];
  pthread_mutexattr_t attr;
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
  struct sync_object *before = sync_first();
  for (int i = 0; i < 100; i++) {
    EXPECT(pthread_mutex_init(&mutexes[i], &attr) == 0);
    EXPECT(pthread_cond_init(&conditions[i], NULL) == 0);
    EXPECT(pthread_rwlock_init(&locks[i], NULL) == 0);
    EXPECT(sem_init(&semaphores[i], 0, (unsigned)i) == 0);
    if (i % 2)
      EXPECT(pthread_mutex_destroy(&mutexes[i]) == 0 && pthread_cond_destroy(&conditions[i]) == 0 &&
             pthread_rwlock_destroy(&locks[i]) == 0 && sem_destroy(&semaphores[i]) == 0);
  }
  EXPECT(sync_first() == before && !before);
  int value = 0;
  EXPECT(pthread_mutex_lock(&mutexes[4]) == 0 && pthread_mutex_lock(&mutexes[4]) == EDEADLK);
  EXPECT(pthread_mutex_lock(&mutexes[5]) == EINVAL);
  EXPECT(sem_getvalue(&semaphores[6], &value) == 0 && value == 6);
  EXPECT(pthread_rwlock_wrlock(&locks[8]) == 0 && pthread_rwlock_tryrdlock(&locks[8]) == EBUSY);
}

static void initialising_costs_nothing(void **state) {
  (void)state;
  assert_stop(STOP_FINISHED, initialise_many);
}

static void lock_twice(void) {
  make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED);
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&mutex);
}

static void normal_locked_twice_is_a_deadlock(void **state) {
  (void)state;
  assert_stop(STOP_DEADLOCK, lock_twice);
  assert_non_null(strstr(ended.message, "held by itself"));
}

static void use_recursive(void) {
  make(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED);
  EXPECT(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_trylock(&mutex) == 0);
  EXPECT(pthread_mutex_unlock(&mutex) == 0 && other(try_it) == EBUSY);
  EXPECT(other(unlock_it) == EPERM);
  EXPECT(pthread_mutex_unlock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == EPERM);
  EXPECT(other(try_it) == 0);
}

static void recursive(void **state) {
  (void)state;
  assert_stop(STOP_FINISHED, use_recursive);
}

static void use_errorcheck(void) {
  mutex = (pthread_mutex_t)PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
  EXPECT(pthread_mutex_unlock(&mutex) == EPERM && pthread_mutex_lock(&mutex) == 0);
  EXPECT(pthread_mutex_lock(&mutex) == EDEADLK && pthread_mutex_trylock(&mutex) == EBUSY);
  EXPECT(other(unlock_it) == EPERM && pthread_mutex_unlock(&mutex) == 0);
}

static void errorcheck(void **state) {
  (void)state;
  assert_stop(STOP_FINISHED, use_errorcheck);
}

static void use_robust(void) {
  make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
  EXPECT(other(lock_and_die) == 0);
  EXPECT(pthread_mutex_lock(&mutex) == EOWNERDEAD && pthread_mutex_consistent(&mutex) == 0);
  EXPECT(pthread_mutex_consistent(&mutex) == EINVAL);
  EXPECT(!tidemark_mutex_owner_failed(&mutex));
  EXPECT(pthread_mutex_unlock(&mutex) == 0 && pthread_mutex_lock(&mutex) == 0);
  EXPECT(pthread_mutex_unlock(&mutex) == 0 && other(lock_and_die) == 0);
  EXPECT(pthread_mutex_lock(&mutex) == EOWNERDEAD && pthread_mutex_unlock(&mutex) == 0);
  EXPECT(pthread_mutex_lock(&mutex) == ENOTRECOVERABLE && other(try_it) == ENOTRECOVERABLE);
}

static void robust(void **state) {
  (void)state;
  assert_stop(STOP_FINISHED, use_robust);
}

static void wait_with_deadline(void) {
  struct timespec t = {.tv_sec = 5};
  make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED);
  EXPECT(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &t) == 0);
  EXPECT(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &t) == ETIMEDOUT);
  EXPECT(thread_virtual_time() == 5000000000ul);
  t.tv_nsec = 1000000000;
  EXPECT(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &t) == EINVAL);
  t.tv_nsec = 0;
  t.tv_sec = 1; /* long ago */
  EXPECT(pthread_mutex_timedlock(&mutex, &t) == ETIMEDOUT);
  EXPECT(thread_virtual_time() == 5000000000ul);
}

static void deadlines(void **state) {
  (void)state;
  assert_stop(STOP_FINISHED, wait_with_deadline);
}

/* A new mutex at the address of an old one that nobody destroyed. */
static void reuse_memory(void) {
  mutex = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  EXPECT(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_lock(&mutex) == 0);
  mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  EXPECT(pthread_mutex_lock(&mutex) == 0 && pthread_mutex_trylock(&mutex) == EBUSY);
  EXPECT(pthread_mutex_unlock(&mutex) == 0);
  mutex = (pthread_mutex_t)PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
  EXPECT(pthread_mutex_unlock(&mutex) == EPERM);
}

static void memory_can_be_reused(void **state) {
  (void)state;
  assert_stop(STOP_FINISHED, reuse_memory);
}

static char order[64];

static void *take_turn(void *name) {
  for (int i = 0; i < 3; i++) {
    pthread_mutex_lock(&mutex);
    strcat(order, name);
    sched_yield();
    pthread_mutex_unlock(&mutex);
  }
  return NULL;
}

static void take_turns(void) {
  pthread_t t[3];
  make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED);
  order[0] = 0;
  pthread_create(&t[0], NULL, take_turn, "a");
  pthread_create(&t[1], NULL, take_turn, "b");
  pthread_create(&t[2], NULL, take_turn, "c");
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], NULL);
}

static void waiters_go_in_order(void **state) {
  (void)state;
  assert_stop(STOP_FINISHED, take_turns);
  assert_string_equal(order, "abcabcabc");
}

static struct thread *oldest(struct thread *running, struct thread *ready) {
  struct thread *found = ready ? ready : running;
  for (struct thread *t = ready; t; t = t->ready_next)
    if (t->id < found->id)
      found = t;
  return found;
}

static void every_waiter_may_win_under_a_strategy(void **state) {
  (void)state;
  fresh_world();
  thread_strategy.choose = oldest;
  thread_create_main(0, main_entry, (void *)take_turns);
  assert_int_equal(go_on(), STOP_FINISHED);
  assert_int_equal(strlen(order), 9);
}

/* --- machines --- */

static pthread_mutex_t *shared; /* in watched memory */
static int survivor_result, survivor_told;

static void hold_it(void) {
  EXPECT(pthread_mutex_lock(shared) == 0);
  for (;;)
    sched_yield();
}

static void wait_for_it(void) {
  survivor_result = pthread_mutex_lock(shared);
  survivor_told = tidemark_mutex_owner_failed(shared);
  pthread_mutex_consistent(shared);
  EXPECT(pthread_mutex_unlock(shared) == 0 && !tidemark_mutex_owner_failed(shared));
}

static void kill_machine_0(void) {
  sched_yield();
  thread_kill_machine(0);
}

static void owner_fails(int robust) {
  pthread_mutexattr_t attr;
  fresh_world();
  pthread_mutexattr_init(&attr);
  pthread_mutexattr_setrobust(&attr, robust);
  memset(shared, 0, sizeof *shared);
  shared->__data.__kind = robust ? 16 : 0; /* what its bytes say at first use */
  survivor_result = -1;
  thread_create_main(0, main_entry, (void *)hold_it);
  thread_create_main(1, main_entry, (void *)wait_for_it);
  thread_create_main(2, main_entry, (void *)kill_machine_0);
  if (go_on_machines() != STOP_FINISHED)
    fail_msg("%s", ended.message);
  assert_int_equal(survivor_result, robust ? EOWNERDEAD : 0);
  assert_true(survivor_told);
  assert_int_equal(shared->__data.__lock, 0); /* never written */
}

static void locks_of_a_failed_machine_are_released(void **state) {
  (void)state;
  shared = mmap((void *)ABI_WINDOW_BASE, 4096, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  assert_ptr_equal(shared, (void *)ABI_WINDOW_BASE);
  owner_fails(PTHREAD_MUTEX_STALLED);
  owner_fails(PTHREAD_MUTEX_ROBUST);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(initialising_costs_nothing),
      cmocka_unit_test(normal),
      cmocka_unit_test(normal_locked_twice_is_a_deadlock),
      cmocka_unit_test(recursive),
      cmocka_unit_test(errorcheck),
      cmocka_unit_test(robust),
      cmocka_unit_test(deadlines),
      cmocka_unit_test(memory_can_be_reused),
      cmocka_unit_test(waiters_go_in_order),
      cmocka_unit_test(every_waiter_may_win_under_a_strategy),
      cmocka_unit_test(locks_of_a_failed_machine_are_released),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
