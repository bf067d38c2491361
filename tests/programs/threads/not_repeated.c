// A thread that fails in an execution which should begin as one before did, because of what earlier executions left on
// the file system (permissions are the real ones): it is told that the program does not repeat itself, and not as an
// internal error.
// RUN: %tidemark_cc -g %s -o %t
// RUN: touch %t.log; chmod 700 %t.log; %tidemark check --model=sc %t %t.log 3 > %t.txt 2>&1; test $? = 3
// RUN: %FileCheck %s < %t.txt
// CHECK: tidemark: the program does not repeat what it did in the same schedule before: {{.*}} a real file)
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>

static atomic_int steps;
static long fails_at;
static struct stat before;

static void *work(void *unused) {
  atomic_fetch_or(&steps, 1); /* an order that counts */
  assert(before.st_mode % 64 % fails_at != fails_at - 1);
  atomic_fetch_xor(&steps, 2);
  atomic_fetch_or(&steps, 3);
  return unused;
}

int main(int argc, char **argv) {
  pthread_t threads[2];
  fails_at = atol(argv[argc - 1]);
  assert(stat(argv[argc - 2], &before) == 0);
  assert(chmod(argv[argc - 2], (before.st_mode + 1) % 512) == 0);
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
}
