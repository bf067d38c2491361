/* Many steps that others could notice are no endless loop while they lead to new memory, and otherwise perhaps: only
 * --max-steps says that an execution which has more of them hangs.
 *
 * RUN: %tidemark_cc -O1 %s -o %t
 * RUN: env TIDEMARK_TEST_SETTINGS=turns=2000 %tidemark check --model=sc --schedule=fixed %t
 * RUN: env TIDEMARK_TEST_SETTINGS=turns=1000 %tidemark check --model=sc --schedule=fixed %t > %t.log 2>&1; test $? = 5
 * RUN: %FileCheck %s < %t.log
 * RUN: %tidemark_cc -O1 -DENDLESS %s -o %t.endless
 * RUN: env TIDEMARK_TEST_SETTINGS=turns=2000 %tidemark check --model=sc --schedule=fixed %t.endless > %t.log 2>&1; test $? = 5
 * RUN: %FileCheck %s < %t.log
 * RUN: env TIDEMARK_TEST_SETTINGS=turns=2000 %tidemark check --model=tso --max-executions=3 --jobs=2 %t.endless > %t.log 2>&1; test $? = 5
 * RUN: %FileCheck %s < %t.log
 * RUN: %tidemark check --model=sc --schedule=fixed --max-steps=5000 %t.endless > %t.log 2>&1; test $? = 1
 * RUN: %FileCheck --check-prefix=HANG %s < %t.log
 * RUN: %tidemark check --model=sc --schedule=fixed --max-steps=20000 %t
 * CHECK-NOT: error[hang]
 * CHECK: the search is incomplete: an execution was cut off at {{.*}}.c:{{[0-9]+}} in fill: no end after {{[0-9]+}} steps that other threads could notice; if it is only long, raise --max-steps
 * HANG: the program hangs: no end after 5000 steps
 */
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int array[4096];

static void *fill(void *unused) {
  for (int i = 0; i < 4096; i++)
    atomic_fetch_add(&array[i], 1);
#ifdef ENDLESS
  for (unsigned i = 0;; i++)
    atomic_fetch_add(&array[i % 4096], 1);
#endif
  return unused;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, fill, NULL);
  pthread_create(&two, NULL, fill, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
}
