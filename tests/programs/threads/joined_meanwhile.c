/* A thread can be cancelled and signalled until another one has joined it, and both orders are explored.
 *
 * RUN: %tidemark_cc -O1 %s -o %t
 * RUN: for i in 0 1; do for m in sc tso; do %tidemark check --model=$m --json=%t.json %t $i; \
 * RUN:   grep -q '"there":' %t.json && grep -q '"gone":' %t.json || { echo "case $i $m"; exit 1; }; done; done
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <tidemark.h>

static pthread_t first, second;
static int how, result;

static void *ends(void *unused) {
  return unused;
}

static void *asks(void *unused) {
  result = how ? pthread_kill(first, 0) : pthread_cancel(first);
  return unused;
}

int main(int argc, char **argv) {
  how = argc > 1 && atoi(argv[1]);
  pthread_create(&first, NULL, ends, NULL);
  pthread_create(&second, NULL, asks, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  tidemark_outcome("%s", result == ESRCH ? "gone" : result ? "?" : "there");
}
