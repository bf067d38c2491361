/* Machines that wait for one that has failed are known to wait for ever when nothing changes any more, long before the
 * limit on steps; those that count how long they wait, or whose turns store something, go on.
 *
 * RUN: %tidemark_cc -O1 %s -o %t
 * RUN: %tidemark check --model=cxl --machines=3 %t 1 > %t.log 2>&1; test $? = 1
 * RUN: %FileCheck %s < %t.log
 * RUN: %tidemark check --model=cxl --machines=3 --isolate %t 1 > %t.log 2>&1; test $? = 1
 * RUN: %FileCheck %s < %t.log
 * RUN: %tidemark check --model=cxl --machines=3 --json=%t.json %t 1 > %t.log 2>&1; test $? = 1
 * RUN: %tidemark replay --quiet %t.json; test $? = 1
 * CHECK: error[hang]: the program hangs: no end: every thread waits in a loop, and nothing changes any more
 * CHECK: in wait_for_all, machine {{[0-2]}}
 * CHECK-NOT: error[
 * CHECK: 1 finding; the search is complete
 *
 * RUN: %tidemark check --model=cxl --machines=3 --failures=1 %t counts 2>&1 | %FileCheck --check-prefix=CLEAN %s
 * RUN: %tidemark check --model=cxl --machines=3 --failures=1 --timeout=60 %t stores 2>&1 | %FileCheck --check-prefix=CLEAN %s
 * CLEAN: no findings; the search is complete
 *
 * Who tries to take a semaphore or a lock again and again, and sleeps in between, has done nothing either.
 *
 * RUN: %tidemark check --model=cxl --machines=2 --timeout=60 %t tries > %t.log 2>&1; test $? = 1
 * RUN: %FileCheck --check-prefix=TRIES %s < %t.log
 * TRIES: error[hang]: the program hangs: no end: 20000 times in a row somebody asked whether a machine has failed
 * TRIES: in try_for_ever, machine 1
 */
#include <immintrin.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <tidemark.h>
#include <unistd.h>

struct barrier {
  _Atomic int arrived;
  _Alignas(64) _Atomic long looks[3];
};

/* Three arrive, unless one of them fails. */
static void wait_for_all(struct barrier *b, char how) {
  long rounds = 0;
  while (atomic_load(&b->arrived) < tidemark_machines()) {
    if (how == 'c' && ++rounds == 20000)
      return;
    if (how == 's' && ++b->looks[tidemark_machine()] >= 3000)
      return;
    _mm_pause();
  }
}

/* Nobody posts it. */
static void try_for_ever(sem_t *semaphore) {
  while (sem_trywait(semaphore) && !tidemark_machine_failed(0))
    usleep(100);
}

int main(int argc, char **argv) {
  struct barrier *b = tidemark_region("barrier", sizeof *b);
  (void)argc;
  if (argv[1][0] == 't') {
    sem_t *semaphore = tidemark_region("semaphore", sizeof *semaphore);
    atomic_store(&b->arrived, 1);
    if (tidemark_machine() == 1)
      try_for_ever(semaphore);
    return 0;
  }
  atomic_fetch_add(&b->arrived, 1);
  wait_for_all(b, argv[1][0]);
}
