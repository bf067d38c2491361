/* A spin lock whose owner has failed: whoever waits for it waits for ever, and is found at once, although each round of
 * its loop stores (an exchange), and although other machines may still fail in each of them.
 *
 * RUN: %tidemark_cc -O1 -g %s -o %t
 * RUN: %tidemark check --model=cxl --machines=2 --jobs=1 %t x > %t.log 2>&1; test $? = 1
 * RUN: %FileCheck %s < %t.log
 * RUN: %tidemark check --model=cxl --machines=2 --isolate %t x > %t.log 2>&1; test $? = 1
 * RUN: %FileCheck %s < %t.log
 * RUN: %tidemark check --model=cxl --machines=3 --jobs=1 --json=%t.json %t x > %t.log 2>&1; test $? = 1
 * RUN: %FileCheck --check-prefixes=CHECK,THREE %s < %t.log
 * RUN: %tidemark replay --quiet %t.json; test $? = 1
 * RUN: %tidemark check --model=cxl --machines=3 --no-share %t x > %t.log 2>&1; test $? = 1
 * RUN: %FileCheck --check-prefixes=CHECK,THREE %s < %t.log
 * RUN: %tidemark check --model=cxl --machines=3 --gpf %t x > %t.log 2>&1; test $? = 1
 * RUN: %FileCheck %s < %t.log
 * RUN: %tidemark check --model=cxl --machines=3 --coherence=cxlmc %t x > %t.log 2>&1; test $? = 1
 * RUN: %FileCheck --check-prefixes=CHECK,THREE %s < %t.log
 * RUN: %tidemark check --model=cxl --machines=3 --coherence=cxlmc --isolate %t x > %t.log 2>&1; test $? = 1
 * RUN: %FileCheck --check-prefixes=CHECK,THREE %s < %t.log
 * RUN: %tidemark check --model=cxl --machines=2 --schedule=random --runs=20 %t x > %t.log 2>&1; test $? = 1
 * RUN: %FileCheck %s < %t.log
 * RUN: %tidemark check --model=cxl --machines=3 %t y > %t.log 2>&1; test $? = 1
 * RUN: %FileCheck --check-prefixes=CHECK,THREE %s < %t.log
 * RUN: %tidemark check --model=cxl --machines=3 %t c > %t.log 2>&1; test $? = 1
 * RUN: %FileCheck %s < %t.log
 * CHECK: error[hang]: the program hangs: no end: every thread waits in a loop, and nothing changes any more
 * CHECK: in take, machine {{[0-2]}}
 * CHECK-NOT: error[
 * THREE: executions     86 covered by
 * CHECK: 1 finding; the search is complete
 *
 * A machine that asks for ever whether others live is found in the same way.
 *
 * RUN: %tidemark check --model=cxl --machines=3 %t p > %t.log 2>&1; test $? = 1
 * RUN: %FileCheck --check-prefix=POLLS %s < %t.log
 * RUN: %tidemark check --model=cxl --machines=3 --isolate %t p > %t.log 2>&1; test $? = 1
 * RUN: %FileCheck --check-prefix=POLLS %s < %t.log
 * POLLS: error[hang]: the program hangs: no end: every thread waits in a loop, and nothing changes any more
 * POLLS: in main, machine
 *
 * The optimiser makes one pause of two ways round a loop, which then has no line: the report names one that is near.
 *
 * RUN: %tidemark check --model=cxl --machines=2 %t m > %t.log 2>&1; test $? = 1
 * RUN: %FileCheck --check-prefix=MERGED %s < %t.log
 * MERGED: error[hang]: the program hangs: no end: every thread waits in a loop, and nothing changes any more
 * MERGED-NEXT: --> {{.*}}orphaned_lock.c:{{[0-9]+}}:
 * MERGED: in read_pair, machine 1
 *
 * Who counts its rounds gives up, as written.
 *
 * RUN: %tidemark check --model=cxl --machines=2 --failures=1 %t g 2>&1 | %FileCheck --check-prefix=CLEAN %s
 * CLEAN: no findings; the search is complete
 */
#include <immintrin.h>
#include <sched.h>
#include <stdatomic.h>
#include <tidemark.h>

struct shared {
  _Alignas(64) _Atomic int lock;
  _Alignas(64) int counter;
};

static void take(_Atomic int *lock, char how) {
  int none = 0;
  if (how == 'c') {
    for (; !atomic_compare_exchange_strong(lock, &none, 1); none = 0)
      ;
    return;
  }
  for (long rounds = 0; atomic_exchange(lock, 1); rounds += how == 'g') {
    if (rounds == 100000)
      return;
    if (how == 'y')
      sched_yield();
  }
}

/* Until the writer is not between its two stores, and both numbers are the same. */
static void read_pair(struct shared *s) {
  for (;;) {
    int begun = atomic_load(&s->lock);
    if (begun & 1) {
      _mm_pause();
      continue;
    }
    int counter = s->counter;
    if (counter == begun && begun)
      return;
    _mm_pause();
  }
}

static void write_pair(struct shared *s) {
  s->lock = 1;
  _mm_clflush((void *)&s->lock);
  s->counter = 2;
  s->lock = 2;
}

int main(int argc, char **argv) {
  struct shared *s = tidemark_region("shared", sizeof *s);
  (void)argc;
  if (argv[1][0] == 'p') {
    while (!tidemark_machine_failed((tidemark_machine() + 1) % 3) && !s->counter)
      sched_yield();
    return 0;
  }
  if (argv[1][0] == 'm') {
    if (tidemark_machine() == 0)
      write_pair(s);
    else
      read_pair(s);
    return 0;
  }
  take(&s->lock, argv[1][0]);
  s->counter++;
  atomic_store(&s->lock, 0);
}
