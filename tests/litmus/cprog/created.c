// Threads that main creates only on some ways, and how often memory says; threads that create others like them.
//
// CHECK rc11 -DCHAIN: verified
// ENDS rc11 -DCHAIN
// CHECK sc -DENDLESS: bounded
// CHECK sc -DENDLESS --unroll=4: violated 69
// ERROR sc -DMANY: created.c:78:5: more than 60 threads
// CHECK rc11 -DSOMETIMES: verified
// ENDS rc11 -DSOMETIMES
// CHECK aarch64 -DSOMETIMES: verified
// ENDS aarch64 -DSOMETIMES
// CHECK rc11 -DWAITS: verified
// HANG rc11 -DWAITS
// CHECK rc11 -DNOBODY: verified
// HANG rc11 -DNOBODY
// CHECK aarch64 -DCOUNTED: bounded
// CHECK rc11 -DCOUNTED: verified
// ENDS rc11 -DCOUNTED
// CHECK rc11 -DCOUNTED -DWRONG: violated 103
// CHECK rc11 -DFOREVER: bounded
// CHECK coherence -DTHIN_AIR: bounded
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int go, done, sum;
int workers = 3; /* nobody writes it: loops that ask it end by counting */

static void *set(void *arg) {
  atomic_store(&go, 1);
  return arg;
}

static void *finish(void *arg) {
  atomic_store(&done, 1);
  return arg;
}

static void *work(void *arg) {
#ifdef WAITS
  while (!atomic_load(&done))
    ;
#endif
  atomic_fetch_add(&sum, 1);
  return arg;
}

struct job {
  int in, out;
  struct job *next;
};

static void *run(void *arg) { /* how deep this goes is known when it is known what each job holds */
  struct job *job = arg;
  pthread_t thread;
  void *last = arg;
  if (job->next)
    pthread_create(&thread, 0, run, job->next);
  job->out = job->in * 2;
  if (job->next) {
    pthread_join(thread, &last);
    job->out += job->next->out;
  }
  return last;
}

static void *follow(void *arg) {
  pthread_t thread;
  assert(atomic_fetch_add(&sum, 1) < 5);
  if (atomic_load(&sum) < 9)
    pthread_create(&thread, 0, follow, 0);
  return arg;
}

static void *multiply(void *arg) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], 0, multiply, arg);
  return arg;
}

int main(void) {
  pthread_t threads[3];
#if defined SOMETIMES || defined WAITS
  pthread_create(&threads[0], 0, set, 0);
  if (atomic_load(&go)) {
    pthread_create(&threads[1], 0, work, 0);
    pthread_join(threads[1], 0);
    assert(atomic_load(&sum) == 1);
  }
#elif defined NOBODY /* who would say so is not there */
  pthread_create(&threads[0], 0, set, 0);
  if (atomic_load(&go))
    pthread_create(&threads[1], 0, finish, 0);
  while (!atomic_load(&done))
    ;
#elif defined COUNTED
  for (int i = 0; i < workers; i++)
    pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < workers; i++)
    pthread_join(threads[i], 0);
#ifdef WRONG
  assert(atomic_load(&sum) != 3);
#else
  assert(atomic_load(&sum) == 3);
#endif
#elif defined CHAIN
  struct job last = {3, 0, 0}, first = {2, 0, &last};
  void *end;
  pthread_create(&threads[0], 0, run, &first);
  pthread_join(threads[0], &end);
  assert(end == &last && first.out == 10);
#elif defined ENDLESS
  pthread_create(&threads[0], 0, follow, 0);
#elif defined MANY
  pthread_create(&threads[0], 0, multiply, 0);
#elif defined FOREVER /* values say that it never ends, which is no reason to go on for ever */
  pthread_create(&threads[0], 0, work, 0);
  for (int over = 0; !over;) {
    if (atomic_load(&done))
      over = 1;
    atomic_fetch_add(&sum, 2);
  }
#else
  pthread_create(&threads[0], 0, set, 0);
  for (int i = 0; i < 3 && atomic_load(&done) != 5; i++)
    atomic_store(&sum, i);
#endif
}
