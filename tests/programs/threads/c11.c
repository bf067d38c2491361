// C11 threads.
// RUN: %tidemark_cc -std=c11 %s -o %t && %t && %tidemark check %t
#include <assert.h>
#include <stdatomic.h>
#include <threads.h>
#include <time.h>

static mtx_t mutex;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int counter, turn;
static atomic_int destroyed, initialised;
static _Thread_local int mine = 3;

static void initialise(void) {
  initialised++;
}

static void destroy(void *value) {
  destroyed += *(int *)value;
}

static int work(void *number) {
  int n = *(int *)number;
  call_once(&once, initialise);
  assert(mine == 3);
  mine = n;
  assert(tss_set(key, number) == thrd_success && tss_get(key) == number);
  mtx_lock(&mutex);
  while (turn != n)
    cnd_wait(&changed, &mutex);
  counter = counter * 10 + n;
  turn++;
  cnd_broadcast(&changed);
  mtx_unlock(&mutex);
  thrd_yield();
  assert(mine == n);
  if (n == 2)
    thrd_exit(n * n);
  return n * n;
}

int main(void) {
  thrd_t t[3];
  int numbers[3] = {2, 1, 0};
  int result;
  assert(mtx_init(&mutex, mtx_timed) == thrd_success && cnd_init(&changed) == thrd_success);
  assert(tss_create(&key, destroy) == thrd_success);
  for (int i = 0; i < 3; i++)
    assert(thrd_create(&t[i], work, &numbers[i]) == thrd_success);
  for (int i = 0; i < 3; i++) {
    assert(thrd_join(t[i], &result) == thrd_success);
    assert(result == numbers[i] * numbers[i]);
  }
  assert(counter == 12 && initialised == 1 && destroyed == 3 && mine == 3);
  assert(mtx_trylock(&mutex) == thrd_success && mtx_trylock(&mutex) == thrd_busy);
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  assert(cnd_timedwait(&changed, &mutex, &now) == thrd_timedout);
  assert(mtx_timedlock(&mutex, &now) == thrd_timedout);
  mtx_unlock(&mutex);
  assert(thrd_sleep(&(struct timespec){.tv_nsec = 1000}, NULL) == 0);
  assert(thrd_equal(thrd_current(), thrd_current()));
  mtx_destroy(&mutex);
  cnd_destroy(&changed);
  tss_delete(key);
  return 0;
}
