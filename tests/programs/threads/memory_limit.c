/* --memory bounds what is planned: the sequences that turn the races of long executions round.
 *
 * RUN: %tidemark_cc -O1 %s -o %t
 * RUN: for model in sc tso; do for jobs in 1 2; do %tidemark check --model=$model --memory=10M --jobs=$jobs %t > %t.log 2>&1; test $? = 5 || exit 1; %FileCheck %s < %t.log || exit 1; done; done
 * CHECK: the search is incomplete: --memory was reached:
 * RUN: %tidemark check --model=sc --memory=1G --max-executions=20 %t > %t.log 2>&1; test $? = 5
 * RUN: %FileCheck --check-prefix=ENOUGH %s < %t.log
 * ENOUGH: the search is incomplete: --max-executions was reached (20 of more than 1,000,000,000,000,000,000 schedules
 */
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int array[1500];

static void *fill(void *unused) {
  for (int i = 0; i < 1500; i++)
    atomic_fetch_or(&array[i], 1 << (unused != NULL));
  return unused;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, NULL, fill, NULL);
  pthread_create(&two, NULL, fill, &two);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
}
