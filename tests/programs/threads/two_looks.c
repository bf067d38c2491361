/* A loop that looks at two things in a round, one of them not atomic, and gives up after some rounds: its first round
 * may be in vain because the looks are apart, the next one is not.  Where data races are not looked for it is not
 * shortened.  With one look in a round it is, though what it looks at is reached through a plain pointer that nobody
 * changes, where races are looked for.
 *
 * RUN: %tidemark_cc -O1 %s -o %t
 * RUN: %tidemark check --model=tso %t
 * RUN: %tidemark check --model=sc --no-data-races %t
 * RUN: %tidemark_cc -O1 -DPOINTER %s -o %t.pointer
 * RUN: %tidemark check --model=sc --json=%t.json %t.pointer && grep -q '"executions": 2,' %t.json
 * RUN: %tidemark check --model=tso %t.pointer
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
static int y = 1;

struct box {
  atomic_int *inside;
} box = {&x}, *where = &box;

/* x is set before y is not: only one of two looks can miss it. */
static int look(void) {
  for (int i = 0; i < 3; i++) {
#ifdef POINTER
    if (atomic_load_explicit(where->inside, memory_order_relaxed))
      return 1;
#else
    if (atomic_load_explicit(&x, memory_order_relaxed))
      return 1;
    if (y)
      return 2;
#endif
  }
  return 0;
}

static void *reads(void *unused) {
  int found = look();
#ifndef POINTER
  assert(found != 0);
#endif
  return found ? &x : unused;
}

static void *stores(void *unused) {
  atomic_store(&x, 1);
#ifndef POINTER
  y = 0;
#endif
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, reads, NULL);
  pthread_create(&b, NULL, stores, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}
