// A thread ends the program at once if it comes first.  It need not: the others can go on before, and one of them would have
// let it go another way.
// RUN: %tidemark_cc -g -O1 %s -o %t
// RUN: for how in exit _exit quick_exit _Exit; do %tidemark check --model=sc %t $how > %t.out 2>&1; test $? = 1 || exit 1; %FileCheck %s < %t.out || exit 1; done
// CHECK: error[assertion]: assertion failed: !seen
// CHECK: executions 3 covered by
// CHECK: 1 finding; the search is complete
// What is not flushed is lost after any of them.
// RUN: for how in exit _exit quick_exit _Exit; do %tidemark check --model=pm %t $how lose > %t.out 2>&1; test $? = 0 || exit 1; %FileCheck --check-prefix=PM %s < %t.out || exit 1; done
// PM: outcomes 2 different
// PM-DAG: 0 is left
// PM-DAG: 1 is left
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <tidemark.h>
#include <unistd.h>

static atomic_int ready, seen;

static void leave(const char *how) {
  if (strcmp(how, "exit") == 0)
    exit(0);
  if (strcmp(how, "_exit") == 0)
    _exit(0);
  if (strcmp(how, "quick_exit") == 0)
    quick_exit(0);
  _Exit(0);
}

static void *hasty(void *how) {
  if (!ready)
    leave(how);
  seen = 1;
  return 0;
}

static void *other(void *unused) {
  ready = 1;
  assert(!seen);
  return unused;
}

static void lose(const char *how) {
  long *left = tidemark_region("left", 64);
  if (tidemark_failures()) {
    tidemark_outcome("%ld is left", *left);
  } else {
    *left = 1;
    leave(how);
  }
}

int main(int argc, char **argv) {
  pthread_t a, b;
  if (argc > 2) {
    lose(argv[1]);
    return 0;
  }
  pthread_create(&a, 0, hasty, argv[1]);
  pthread_create(&b, 0, other, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
