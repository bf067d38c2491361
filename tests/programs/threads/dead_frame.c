/* Stores that are still in a store buffer when the function returns whose variables they are for.
 * What lies there next is another function's, or the checker's own: it keeps what it has.
 *
 * RUN: %tidemark_cc -O1 %s -o %t
 * RUN: %tidemark check --model=tso %t > %t.log 2>&1; test $? = 0
 * RUN: %FileCheck %s < %t.log
 * RUN: %tidemark check --model=tso %t main > %t.log 2>&1; test $? = 0
 * RUN: %FileCheck %s < %t.log
 * CHECK: no findings; the search is complete
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#define WORDS 64

static atomic_long *frame, flag, answer;

static void *look(void *unused) {
  (void)unused;
  for (int i = 0; i < WORDS; i++)
    atomic_load_explicit(&frame[i], memory_order_relaxed);
  return NULL;
}

static void *reply(void *unused) {
  (void)unused;
  atomic_store_explicit(&answer, 1 + atomic_load_explicit(&flag, memory_order_relaxed),
                        memory_order_relaxed);
  return NULL;
}

static inline __attribute__((always_inline)) void use(atomic_long *words) {
  pthread_t t;
  frame = words;
  pthread_create(&t, NULL, look, NULL); /* now they are shared */
  pthread_join(t, NULL);
  for (int i = 0; i < WORDS; i++)
    atomic_store_explicit(&words[i], 0x5a5a5a5a, memory_order_relaxed);
}

static __attribute__((noinline)) void call(void) {
  atomic_long words[WORDS] = {0};
  use(words);
}

int main(int argc, char **argv) {
  (void)argv;
  pthread_t t;
  if (argc == 1) {
    pthread_create(&t, NULL, reply, NULL);
    call();
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    long seen = atomic_load_explicit(&answer, memory_order_relaxed);
    assert(seen >= 0 && seen <= 2);
    pthread_join(t, NULL);
    assert(answer == 1 || answer == 2);
    return 0;
  }
  atomic_long words[WORDS] = {0};
  use(words);
  return 0;
}
