/* What OpenMP offers, with the runtime library of src/openmp: without the checker and in every schedule.
 *
 * RUN: %tidemark_cc -O1 -fopenmp -Wall -Wextra -Werror %s -o %t
 * RUN: for n in 1 2 3 5; do OMP_NUM_THREADS=$n %t || exit 1; done
 * RUN: %tidemark_cc -O1 -fopenmp -DSMALL %s -o %t.small
 * RUN: for m in sc tso; do %tidemark check --model=$m %t.small || exit 1; done
 * RUN: %tidemark_cc -O1 -fopenmp -DSMALL -DRACE %s -o %t.race
 * RUN: %tidemark check --model=sc %t.race > %t.log 2>&1; test $? = 1
 * RUN: %FileCheck %s < %t.log
 * CHECK-DAG: error[data-race]
 * CHECK-DAG: error[assertion]: assertion failed: seen == omp_get_max_threads()
 */
#include <assert.h>
#include <omp.h>
#include <stdint.h>
#include <string.h>

#ifdef SMALL
#define ONLY_WHEN_LARGE(x)
#else
#define ONLY_WHEN_LARGE(x) x
#endif

static int times[64];

static void clear(void) {
  memset(times, 0, sizeof times);
}

static void each_once(int count) {
  for (int i = 0; i < 64; i++)
    assert(times[i] == (i < count));
}

static void divided(int n) {
  clear();
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    times[i]++;
  each_once(n);
  clear();
#pragma omp parallel for schedule(static, 3)
  for (uint64_t i = 0; i < (uint64_t)n; i++)
    times[i]++;
  each_once(n);
  clear();
#pragma omp parallel for
  for (int64_t i = 2 * n - 2; i >= 0; i -= 2)
    times[i / 2]++;
  each_once(n);
}

static void given_out(int n) {
  clear();
#pragma omp parallel
  {
#pragma omp for schedule(dynamic) nowait
    for (unsigned i = 0; i < (unsigned)n; i++)
      times[i]++;
#pragma omp for schedule(guided, 2)
    for (long i = n - 1; i >= 0; i--)
      times[32 + i]++;
  }
  for (int i = 0; i < 32; i++)
    assert(times[i] == (i < n) && times[32 + i] == (i < n));
}

static void last(int n) {
  int i, x = -1;
#pragma omp parallel for lastprivate(x)
  for (i = 0; i < n; i++)
    x = i;
  assert(x == n - 1);
}

static void together(void) {
  int sum = 0, seen = 0, single = 0, masters = 0, sections = 0;
  double product = 1;
#pragma omp parallel for reduction(+ : sum) reduction(* : product)
  for (int i = 1; i < 5; i++) {
    sum += i;
    product *= i;
  }
  assert(sum == 10 && product == 24);
#pragma omp parallel
  {
#ifdef RACE
    seen++;
#else
#pragma omp critical
    seen++;
#endif
#pragma omp single
    single++;
#pragma omp master
    masters++;
    ONLY_WHEN_LARGE(_Pragma("omp barrier") assert(single == 1);)
  }
  assert(seen == omp_get_max_threads());
  assert(single == 1 && masters == 1);
  ONLY_WHEN_LARGE(_Pragma("omp parallel sections reduction(+ : sections)") {
    _Pragma("omp section") sections += 1;
    _Pragma("omp section") sections += 2;
  } assert(sections == 3);)
  (void)sections;
}

static void locks(void) {
  omp_lock_t lock;
  int count = 0, atomic = 0;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    assert(omp_get_num_threads() == 2 && omp_in_parallel());
    omp_set_lock(&lock);
    count += 1 + omp_get_thread_num();
    omp_unset_lock(&lock);
#pragma omp atomic
    atomic++;
#pragma omp parallel
    assert(omp_get_num_threads() == 1);
  }
  omp_destroy_lock(&lock);
  assert(count == 3 && atomic == 2);
}

int main(void) {
  ONLY_WHEN_LARGE(for (int n = 0; n < 20; n++) {
    divided(n);
    given_out(n);
    if (n)
      last(n);
  })
  divided(2);
  ONLY_WHEN_LARGE(given_out(3);)
  together();
  locks();
}
