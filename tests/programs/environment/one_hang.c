/* A loop without an end is one finding, wherever the limit on steps cuts it: here at another place
 * after each failure, in one of three functions that the loop calls.
 *
 * RUN: %tidemark_cc -O1 %s -o %t
 * RUN: %tidemark check --max-steps=5000 %t > %t.log 2>&1; test $? = 1
 * RUN: %FileCheck %s < %t.log
 * CHECK: error[hang]: the program hangs: no end after 5000 steps
 * CHECK: in wait_for_it, thread 0, after the failure
 * CHECK: stack: {{.*}} wait_for_it
 * CHECK-NEXT: main
 * CHECK: seen in: 3 executions
 * CHECK-NOT: error[
 * CHECK: 1 finding; the search is complete
 */
#include <immintrin.h>
#include <tidemark.h>

struct data {
  volatile long phase, a, b;
};

static __attribute__((noinline)) long first(struct data *d) {
  return d->a;
}

static __attribute__((noinline)) long second(struct data *d) {
  return d->a + d->b;
}

static __attribute__((noinline)) void wait_for_it(struct data *d) {
  while (first(d) + second(d) == 0)
    ;
}

int main(void) {
  struct data *d = tidemark_region("data", sizeof *d);
  if (tidemark_failures() == 0) {
    for (long i = 1; i <= 3; i++)
      d->phase = i;
    _mm_clflush(d);
  } else {
    for (long i = d->phase; i > 0; i--)
      (void)d->b;
    if (d->phase)
      wait_for_it(d);
  }
}
