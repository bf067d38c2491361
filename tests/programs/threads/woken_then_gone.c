// Waking others up through a futex looks at nothing: the word may be gone, as that of a latch or semaphore whose last user has
// gone on and deleted it.  Waiting there is a use.
// RUN: %tidemark_cc %s -o %t && %t
// RUN: for m in sc tso; do for i in 0 1; do %tidemark check --model=$m %t $i > %t.out 2>&1 || exit 1; %FileCheck %s < %t.out || exit 1; done; done
// CHECK: no findings; the search is complete
// RUN: %tidemark check --model=sc %t 2 > %t.out 2>&1; test $? = 1 && %FileCheck --check-prefix=WAITS %s < %t.out
// WAITS: error[use-after-free]: use after free: this atomic operation is 0 bytes into a heap block that thread 0 has freed
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int what;

static void wait_for(_Atomic int *done) {
  while (!*done)
    syscall(SYS_futex, done, FUTEX_WAIT_PRIVATE, 0, NULL);
}

static void *finish(void *p) {
  _Atomic int *done = p;
  *done = 1;
  syscall(SYS_futex, done, what == 2 ? FUTEX_WAIT_PRIVATE : FUTEX_WAKE_PRIVATE, 0x7fffffff, NULL);
  return NULL;
}

static void *own(void *other) {
  _Atomic int done = 0; /* on the stack of a thread that ends */
  pthread_create(other, NULL, finish, (void *)&done);
  wait_for(&done);
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t one, two;
  what = argc > 1 ? atoi(argv[1]) : 0;
  if (what == 1) {
    pthread_create(&one, NULL, own, &two);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
  }
  _Atomic int *done = calloc(1, sizeof *done);
  pthread_create(&one, NULL, finish, (void *)done);
  wait_for(done);
  free((void *)done);
  pthread_join(one, NULL);
}
