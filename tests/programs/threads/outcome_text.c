/* The texts of an outcome are read when it is said: another thread has changed each of them by then, or not yet.
 *
 * RUN: %tidemark_cc -O1 %s -o %t
 * RUN: for m in sc tso; do %tidemark check --model=$m --json=%t.json %t; \
 * RUN:   for o in '0 a' '0 b' '1 a' '1 b'; do \
 * RUN:     grep -q "\"$o\": 1" %t.json || { echo "$o $m"; exit 1; }; done; done
 */
#include <pthread.h>
#include <stdatomic.h>
#include <tidemark.h>

static _Alignas(64) atomic_int number;
static _Alignas(64) char text[2] = "a";

static void *changes(void *unused) {
  number = 1;
  __atomic_store_n(text, 'b', __ATOMIC_SEQ_CST);
  return unused;
}

int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, changes, NULL);
  tidemark_outcome("%d %s", number, text);
}
