/* Random numbers of threads do not depend on the order in which they ask for them, follow from the seed that main has
 * set, and are the same in every execution.  A loop that takes some while it waits is in another state each time,
 * and so is one that counts in the value of a key.
 *
 * RUN: %tidemark_cc -O1 %s -o %t
 * RUN: %t && for m in sc tso; do for s in 1 2; do \
 * RUN:   %tidemark check --model=$m --json=%t.$m$s.json %t $s || exit 1; done; done
 * RUN: grep -A2 outcomes %t.sc1.json | grep -q '": 2$'
 * RUN: grep -A1 outcomes %t.sc1.json > %t.1; grep -A1 outcomes %t.sc2.json > %t.2; ! cmp -s %t.1 %t.2
 * RUN: %tidemark_cc -O1 -DWAITS %s -o %t.waits
 * RUN: ! %tidemark check --model=sc --unroll=8 %t.waits 2> %t.log
 * RUN: grep -q 'error.assertion' %t.log
 * RUN: %tidemark_cc -O1 -DWAITS -DKEY %s -o %t.key
 * RUN: ! %tidemark check --model=sc --unroll=8 %t.key 2> %t.log
 * RUN: grep -q 'error.assertion' %t.log
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/random.h>
#include <tidemark.h>

static atomic_int flag, seen;
static long numbers[2][7];

static void *takes(void *which) {
  long *to = numbers[(long)which];
  unsigned system;
  to[0] = rand();
  to[1] = random();
  to[2] = lrand48();
  to[3] = mrand48();
  to[4] = (long)(drand48() * 1000);
  assert(to[4] >= 0 && to[4] < 1000);
  assert(getrandom(&system, sizeof system, 0) == sizeof system);
  to[5] = system;
  atomic_fetch_or(&flag, 1 << (long)which); /* the only step that others notice */
  to[6] = rand();
  return NULL;
}

static pthread_key_t key;

static int by_chance(void) {
#ifdef KEY
  long n = (long)pthread_getspecific(key);
  pthread_setspecific(key, (void *)(n + 1));
  return n == 3;
#else
  return rand() % 2;
#endif
}

static void *waits(void *unused) {
  while (!atomic_load(&flag))
    if (by_chance())
      atomic_store(&seen, 1);
  return unused;
}

int main(int argc, char **argv) {
  pthread_t a, b;
  pthread_key_create(&key, NULL);
  srand(argc > 1 ? (unsigned)atoi(argv[1]) : 1);
  int first = rand();
  srand(argc > 1 ? (unsigned)atoi(argv[1]) : 1);
  assert(rand() == first);
#ifdef WAITS
  pthread_create(&a, NULL, waits, NULL);
  b = a;
  int s = atomic_load(&seen);
  atomic_store(&flag, 1);
  assert(!s); /* after some rounds it is */
  pthread_join(b, NULL);
#else
  pthread_create(&a, NULL, takes, (void *)0);
  pthread_create(&b, NULL, takes, (void *)1);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(numbers[0][0] != numbers[1][0] || numbers[0][1] != numbers[1][1]);
  tidemark_outcome("%ld %ld %ld %ld", numbers[0][0], numbers[0][6], numbers[1][0], numbers[1][5]);
#endif
}
