/* A machine fails while its threads hold and wait for things that machines share. */
#include "runtime_thread_stand_ins.h"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <tidemark.h>

static pthread_mutex_t mutex;
static pthread_cond_t cond;
static pthread_rwlock_t rwlock;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static sem_t semaphore;
static char trace[128];

static void note(const char *text) {
  size_t n = strlen(trace);
  snprintf(trace + n, sizeof trace - n, "%s ", text);
}

/* Machine 0 runs `doomed` until everybody waits or yields, then fails; machines 1 and 2 run
 * `first` and `second`. */
static void (*doomed_body)(void), (*first_body)(void), (*second_body)(void);

static void run_doomed(void) {
  doomed_body();
  for (;;)
    sched_yield();
}

static void run_second(void) {
  if (second_body)
    second_body();
}

static void run_killer(void) {
  for (int i = 0; i < 5; i++)
    sched_yield();
  note("failure");
  thread_kill_machine(0);
}

static enum stop_kind with_failure(void (*doomed)(void), void (*first)(void),
                                   void (*second)(void)) {
  fresh_world();
  trace[0] = 0;
  doomed_body = doomed;
  first_body = first;
  second_body = second;
  mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  cond = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
  rwlock = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
  thread_create_main(0, main_entry, (void *)run_doomed);
  thread_create_main(1, main_entry, (void *)first_body);
  thread_create_main(2, main_entry, (void *)run_second);
  thread_create_main(3, main_entry, (void *)run_killer);
  return go_on_machines();
}

static void hold_mutex(void) {
  pthread_mutex_lock(&mutex);
}

static void want_mutex(void) {
  EXPECT(pthread_mutex_lock(&mutex) == 0);
  note(tidemark_mutex_owner_failed(&mutex) ? "told" : "not told");
  EXPECT(pthread_mutex_unlock(&mutex) == 0);
}

static void waiters_of_a_mutex_go_on(void **state) {
  (void)state;
  assert_int_equal(with_failure(hold_mutex, want_mutex, want_mutex), STOP_FINISHED);
  assert_string_equal(trace, "failure told not told ");
}

/* The doomed machine waits for a mutex: it must not be handed to it. */
static void hold_past_failure(void) {
  pthread_mutex_lock(&mutex);
  for (int i = 0; i < 10; i++)
    sched_yield();
  EXPECT(pthread_mutex_unlock(&mutex) == 0 && !tidemark_mutex_owner_failed(&mutex));
  EXPECT(pthread_mutex_lock(&mutex) == 0);
  note("again");
}

static void yield_then_want(void) {
  sched_yield();
  pthread_mutex_lock(&mutex);
}

static void dead_waiters_are_forgotten(void **state) {
  (void)state;
  assert_int_equal(with_failure(yield_then_want, hold_past_failure, NULL), STOP_FINISHED);
  assert_string_equal(trace, "failure again ");
}

static void wait_for_signal(void) {
  pthread_mutex_lock(&mutex);
  pthread_cond_wait(&cond, &mutex);
  note("signalled");
  pthread_mutex_unlock(&mutex);
}

static void signal_late(void) {
  for (int i = 0; i < 10; i++)
    sched_yield();
  pthread_cond_signal(&cond);
}

static void signals_do_not_go_to_the_dead(void **state) {
  (void)state;
  assert_int_equal(with_failure(wait_for_signal, wait_for_signal, signal_late), STOP_FINISHED);
  assert_string_equal(trace, "failure signalled ");
}

static void hold_read(void) {
  pthread_rwlock_rdlock(&rwlock);
}

static void hold_write(void) {
  pthread_rwlock_wrlock(&rwlock);
}

static void want_write(void) {
  EXPECT(pthread_rwlock_wrlock(&rwlock) == 0);
  note("written");
  EXPECT(pthread_rwlock_unlock(&rwlock) == 0);
}

static void want_read(void) {
  EXPECT(pthread_rwlock_rdlock(&rwlock) == 0);
  note("read");
  EXPECT(pthread_rwlock_unlock(&rwlock) == 0);
}

static void read_write_locks_are_released(void **state) {
  (void)state;
  assert_int_equal(with_failure(hold_read, want_write, NULL), STOP_FINISHED);
  assert_string_equal(trace, "failure written ");
  assert_int_equal(with_failure(hold_write, want_write, want_read), STOP_FINISHED);
  assert_string_equal(trace, "failure read written ");
}

static void arrive(void) {
  pthread_barrier_wait(&barrier);
  note("passed");
}

static void arrive_late(void) {
  for (int i = 0; i < 10; i++)
    sched_yield();
  arrive();
}

static void make_barrier_and_arrive(void) {
  pthread_barrier_init(&barrier, NULL, 3);
  arrive();
}

static void arrivals_of_the_dead_count(void **state) {
  (void)state;
  assert_int_equal(with_failure(make_barrier_and_arrive, arrive, arrive_late), STOP_FINISHED);
  assert_string_equal(trace, "failure passed passed ");
}

static void make_barrier_only(void) {
  pthread_barrier_init(&barrier, NULL, 3);
}

static void a_missing_arrival_is_a_deadlock(void **state) {
  (void)state;
  assert_int_equal(with_failure(make_barrier_only, arrive, arrive_late), STOP_DEADLOCK);
  assert_non_null(strstr(ended.message, "thread 1 of machine 1 waits for barrier"));
}

static void take_unit(void) {
  sem_init(&semaphore, 1, 1);
  sem_wait(&semaphore);
}

static void want_unit(void) {
  sem_wait(&semaphore);
}

static void units_are_not_given_back(void **state) {
  (void)state;
  assert_int_equal(with_failure(take_unit, want_unit, NULL), STOP_DEADLOCK);
  assert_non_null(strstr(ended.message, "waits for semaphore"));
}

static void hold_spin(void) {
  pthread_spin_init(&spin, 1);
  pthread_spin_lock(&spin);
}

static void want_spin(void) {
  pthread_spin_lock(&spin);
}

static void spin_locks_stay_held(void **state) {
  (void)state;
  assert_int_equal(with_failure(hold_spin, want_spin, NULL), STOP_DEADLOCK);
  assert_non_null(strstr(ended.message, "held by thread 0 of machine 0, which has ended"));
}

/* A machine whose program is over keeps what it held until it fails. */
static void finish_with_mutex(void) {
  pthread_mutex_lock(&mutex);
  stop_finished(0);
}

static void finished_machines_can_fail(void **state) {
  (void)state;
  assert_int_equal(with_failure(finish_with_mutex, want_mutex, NULL), STOP_FINISHED);
  assert_string_equal(trace, "failure told ");
}

static void pause_holding(void) {
  pthread_mutex_lock(&mutex);
  thread_pause();
  note("never");
}

static void the_host_may_fail_a_machine(void **state) {
  (void)state;
  fresh_world();
  trace[0] = 0;
  mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  first_body = want_mutex;
  thread_create_main(0, main_entry, (void *)pause_holding);
  thread_create_main(1, main_entry, (void *)first_body);
  assert_int_equal(go_on(), STOP_NONE);
  thread_kill_machine(0);
  assert_int_equal(go_on_machines(), STOP_FINISHED);
  assert_string_equal(trace, "told ");
}

/* Machines share the code of a library and not its variables: nobody waits for another's lock. */
static void lock_own(void) {
  EXPECT(pthread_mutex_lock(&mutex) == 0);
  note("locked");
  EXPECT(pthread_mutex_unlock(&mutex) == 0);
}

static void locks_of_libraries_are_not_shared(void **state) {
  (void)state;
  shared_variable = &mutex;
  assert_int_equal(with_failure(hold_mutex, lock_own, lock_own), STOP_FINISHED);
  shared_variable = NULL;
  assert_string_equal(trace, "locked locked failure ");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(waiters_of_a_mutex_go_on),
      cmocka_unit_test(dead_waiters_are_forgotten),
      cmocka_unit_test(signals_do_not_go_to_the_dead),
      cmocka_unit_test(read_write_locks_are_released),
      cmocka_unit_test(arrivals_of_the_dead_count),
      cmocka_unit_test(a_missing_arrival_is_a_deadlock),
      cmocka_unit_test(units_are_not_given_back),
      cmocka_unit_test(spin_locks_stay_held),
      cmocka_unit_test(finished_machines_can_fail),
      cmocka_unit_test(the_host_may_fail_a_machine),
      cmocka_unit_test(locks_of_libraries_are_not_shared),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
