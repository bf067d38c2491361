/* The scheduler: order of threads, joining, time, deadlock, machines. */
#include "runtime_thread_stand_ins.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static char trace[256];

static void note(const char *text) {
  size_t n = strlen(trace);
  snprintf(trace + n, sizeof trace - n, "%s ", text);
}

static void *noting(void *name) {
  note(name);
  return name;
}

/* --- order --- */

static void create_three(void) {
  pthread_t t[3];
  void *result;
  note("main");
  pthread_create(&t[0], NULL, noting, "a");
  pthread_create(&t[1], NULL, noting, "b");
  pthread_create(&t[2], NULL, noting, "c");
  note("created");
  EXPECT(pthread_join(t[2], &result) == 0 && strcmp(result, "c") == 0);
  EXPECT(pthread_join(t[0], &result) == 0 && strcmp(result, "a") == 0);
  EXPECT(pthread_join(t[1], &result) == 0 && strcmp(result, "b") == 0);
  EXPECT(pthread_join(t[1], NULL) == ESRCH);
  note("end");
}

static void runs_until_it_waits(void **state) {
  (void)state;
  for (int i = 0; i < 20; i++) {
    trace[0] = 0;
    assert_stop(STOP_FINISHED, create_three);
    assert_string_equal(trace, "main created a b c end ");
  }
}

static void *yielding(void *name) {
  for (int i = 0; i < 2; i++) {
    note(name);
    sched_yield();
  }
  return NULL;
}

static void yield_in_turn(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, yielding, "a");
  pthread_create(&b, NULL, yielding, "b");
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}

static void yields_in_turn(void **state) {
  (void)state;
  trace[0] = 0;
  assert_stop(STOP_FINISHED, yield_in_turn);
  assert_string_equal(trace, "a b a b ");
}

static volatile int flag;

static void *spinning(void *unused) {
  while (!flag)
    thread_step();
  return unused;
}

static void *raising(void *unused) {
  flag = 1;
  return unused;
}

static void spin_until_raised(void) {
  pthread_t a, b;
  flag = 0;
  pthread_create(&a, NULL, spinning, NULL);
  pthread_create(&b, NULL, raising, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}

static void spinning_ends_with_the_quantum(void **state) {
  (void)state;
  assert_stop(STOP_FINISHED, spin_until_raised);
}

static int looks_made;

static void *watching(void *unused) {
  while (!flag) {
    thread_step_load((const void *)&flag);
    looks_made++;
  }
  return unused;
}

static void watch_until_raised(void) {
  pthread_t a, b;
  flag = looks_made = 0;
  pthread_create(&a, NULL, watching, NULL);
  pthread_create(&b, NULL, raising, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}

static void watching_one_address_ends_the_turn(void **state) {
  (void)state;
  assert_stop(STOP_FINISHED, watch_until_raised);
  assert_int_equal(looks_made, THREAD_SPINS);
}

static struct thread *newest(struct thread *running, struct thread *ready) {
  struct thread *found = running;
  for (struct thread *t = ready; t; t = t->ready_next)
    if (!found || t->id > found->id)
      found = t;
  return found;
}

static void a_strategy_decides(void **state) {
  (void)state;
  trace[0] = 0;
  fresh_world();
  thread_strategy.choose = newest;
  thread_create_main(0, main_entry, (void *)create_three);
  assert_int_equal(go_on(), STOP_FINISHED);
  assert_string_equal(trace, "main a b created c end ");
}

/* --- ends --- */

static void *exits_thread(void *unused) {
  pthread_exit((void *)7);
  return unused;
}

static void exit_and_detach(void) {
  pthread_t t;
  void *result;
  pthread_create(&t, NULL, exits_thread, NULL);
  EXPECT(pthread_tryjoin_np(t, &result) == EBUSY);
  EXPECT(pthread_join(pthread_self(), NULL) == EDEADLK);
  EXPECT(pthread_join(t, &result) == 0 && result == (void *)7);
  pthread_create(&t, NULL, exits_thread, NULL);
  EXPECT(pthread_detach(t) == 0 && pthread_detach(t) == EINVAL);
  EXPECT(pthread_join(t, NULL) == EINVAL);
  sched_yield();
  EXPECT(pthread_detach(t) == ESRCH);
}

static void results_and_detaching(void **state) {
  (void)state;
  assert_stop(STOP_FINISHED, exit_and_detach);
}

static void main_exits_first(void) {
  pthread_t t;
  pthread_create(&t, NULL, noting, "late");
  pthread_exit(NULL);
}

static void main_may_end_first(void **state) {
  (void)state;
  trace[0] = 0;
  assert_stop(STOP_FINISHED, main_exits_first);
  assert_string_equal(trace, "late ");
}

static void create_many(void) {
  for (int i = 0; i < 1000; i++) {
    pthread_t t;
    EXPECT(pthread_create(&t, NULL, noting, "") == 0);
    EXPECT(pthread_join(t, NULL) == 0);
    trace[0] = 0;
  }
}

static void many_threads(void **state) {
  (void)state;
  assert_stop(STOP_FINISHED, create_many);
  assert_int_equal(thread_count(), 1001);
}

static void create_too_many(void) {
  pthread_t t;
  create_many(); /* those have ended and do not count */
  for (int i = 0; i < THREADS_MAX; i++)
    EXPECT(pthread_create(&t, NULL, noting, "") == 0);
}

static void too_many_threads_are_refused(void **state) {
  (void)state;
  assert_stop(STOP_REFUSED, create_too_many);
}

/* --- time --- */

static void *sleeps(void *ns) {
  thread_sleep((unsigned long)ns);
  snprintf(trace + strlen(trace), 32, "%lu ", thread_virtual_time());
  return NULL;
}

static void sleep_in_order(void) {
  pthread_t t[3];
  pthread_create(&t[0], NULL, sleeps, (void *)300);
  pthread_create(&t[1], NULL, sleeps, (void *)100);
  pthread_create(&t[2], NULL, sleeps, (void *)200);
  for (int i = 0; i < 3; i++)
    pthread_join(t[i], NULL);
}

static void time_jumps_to_deadlines(void **state) {
  (void)state;
  trace[0] = 0;
  assert_stop(STOP_FINISHED, sleep_in_order);
  assert_string_equal(trace, "100 200 300 ");
}

static void *wakes_spinner(void *unused) {
  thread_sleep(1000000000);
  flag = 1;
  return unused;
}

static void spin_for_sleeper(void) {
  pthread_t t;
  flag = 0;
  pthread_create(&t, NULL, wakes_spinner, NULL);
  while (!flag)
    sched_yield();
}

static void yielding_passes_time(void **state) {
  (void)state;
  assert_stop(STOP_FINISHED, spin_for_sleeper);
}

/* --- deadlock --- */

static pthread_mutex_t first_mutex, second_mutex;

static void *locks_second_first(void *unused) {
  pthread_mutex_lock(&second_mutex);
  sched_yield();
  pthread_mutex_lock(&first_mutex);
  return unused;
}

static void lock_both(void) {
  pthread_t t;
  pthread_mutex_init(&first_mutex, NULL);
  pthread_mutex_init(&second_mutex, NULL);
  pthread_mutex_lock(&first_mutex);
  pthread_create(&t, NULL, locks_second_first, NULL);
  pthread_setname_np(t, "other");
  sched_yield();
  pthread_mutex_lock(&second_mutex);
}

static void deadlock_is_described(void **state) {
  (void)state;
  char expected[256];
  assert_stop(STOP_DEADLOCK, lock_both);
  snprintf(expected, sizeof expected,
           "every thread waits: thread 0 waits for mutex at %p, held by thread 1 (other); "
           "thread 1 (other) waits for mutex at %p, held by thread 0",
           (void *)&second_mutex, (void *)&first_mutex);
  assert_string_equal(ended.message, expected);
}

static void *joins_back(void *thread) {
  EXPECT(pthread_join((pthread_t)thread, NULL) == EDEADLK);
  pthread_mutex_lock(&first_mutex);
  return NULL;
}

static void join_waiting_thread(void) {
  pthread_t t;
  pthread_mutex_init(&first_mutex, NULL);
  pthread_mutex_lock(&first_mutex);
  pthread_create(&t, NULL, joins_back, (void *)pthread_self());
  pthread_join(t, NULL);
}

static void deadlock_in_join(void **state) {
  (void)state;
  assert_stop(STOP_DEADLOCK, join_waiting_thread);
  assert_non_null(strstr(ended.message, "thread 0 waits for the end of thread 1; "));
}

/* --- pauses and machines --- */

static void pause_twice(void) {
  note("one");
  thread_pause();
  note("two");
  thread_pause();
  note("three");
}

static void the_host_can_look_in_between(void **state) {
  (void)state;
  trace[0] = 0;
  assert_stop(STOP_NONE, pause_twice);
  assert_string_equal(trace, "one ");
  assert_int_equal(go_on(), STOP_NONE);
  assert_string_equal(trace, "one two ");
  assert_int_equal(go_on(), STOP_FINISHED);
  assert_string_equal(trace, "one two three ");
}

static void other_machine(void) {
  note("m1");
  sched_yield();
  note("m1 again");
}

static void fails_itself(void) {
  note("m0");
  sched_yield();
  thread_kill_machine(0);
  note("never");
}

static void a_machine_fails(void **state) {
  (void)state;
  trace[0] = 0;
  fresh_world();
  thread_create_main(0, main_entry, (void *)fails_itself);
  thread_create_main(1, main_entry, (void *)other_machine);
  assert_int_equal(go_on_machines(), STOP_FINISHED);
  assert_string_equal(trace, "m0 m1 m1 again ");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runs_until_it_waits),
      cmocka_unit_test(yields_in_turn),
      cmocka_unit_test(spinning_ends_with_the_quantum),
      cmocka_unit_test(watching_one_address_ends_the_turn),
      cmocka_unit_test(a_strategy_decides),
      cmocka_unit_test(results_and_detaching),
      cmocka_unit_test(main_may_end_first),
      cmocka_unit_test(many_threads),
      cmocka_unit_test(too_many_threads_are_refused),
      cmocka_unit_test(time_jumps_to_deadlines),
      cmocka_unit_test(yielding_passes_time),
      cmocka_unit_test(deadlock_is_described),
      cmocka_unit_test(deadlock_in_join),
      cmocka_unit_test(the_host_can_look_in_between),
      cmocka_unit_test(a_machine_fails),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
