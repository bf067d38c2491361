// Executions are run again for the call stacks of findings that will be shown, not for those that are silenced, by
// suppressions or by a baseline.
// RUN: rm -rf %t && mkdir -p %t && cd %t && cp %s prog.c && %tidemark_cc -g prog.c -o prog
// RUN: %tidemark check --quiet --analyses=robustness --json=old.json ./prog; test $? = 1
// RUN: grep -q '"through_first"' old.json && grep -q '"through_second"' old.json
// RUN: echo 'robustness:put_first' > known
// RUN: %tidemark check --quiet --analyses=robustness --suppressions=known --json=new.json ./prog; test $? = 1
// RUN: ! grep '"through_first"' new.json && grep -q '"through_second"' new.json
// RUN: %tidemark check --quiet --analyses=robustness --baseline=old.json --json=new.json ./prog
// RUN: ! grep '"through_' new.json && grep -q '"put_first"' new.json && grep -q '"put_second"' new.json
// Callers of the lost store silence a finding, not whoever reads the store that survives.
// RUN: printf 'robustness:in:through_first\nrobustness:in:is_set\n' > known
// RUN: %tidemark check --analyses=robustness --suppressions=known ./prog > out 2>&1; test $? = 1
// RUN: %FileCheck %s < out
// CHECK-NOT: through_first
// CHECK: {{^}}error[robustness]
// CHECK: in put_second
// CHECK: through_second
// CHECK-NOT: {{^}}error
// CHECK: 1 finding; 1 finding is silenced (1 by known); the search is complete
// CHECK: note: known:2: no finding fits 'robustness:in:is_set' any more
#include <tidemark.h>

#define CALL __attribute__((noinline))

struct pair {
  _Alignas(64) volatile long value;
  _Alignas(64) volatile long flag;
};

static CALL void put_first(struct pair *p) {
  p->value = 1;
  p->flag = 1;
}

static CALL void put_second(struct pair *p) {
  p->value = 1;
  p->flag = 1;
}

static CALL void through_first(struct pair *p) {
  put_first(p);
  __asm__ volatile("");
}

static CALL void through_second(struct pair *p) {
  put_second(p);
  __asm__ volatile("");
}

static CALL long is_set(const struct pair *p) {
  return p->flag;
}

int main(void) {
  struct pair *first = tidemark_region("first", sizeof *first);
  struct pair *second = tidemark_region("second", sizeof *second);
  if (tidemark_failures() == 0) {
    through_first(first);
    __asm__ volatile("clflush %0; clflush %1" : : "m"(first->value), "m"(first->flag));
    through_second(second);
  } else {
    if (is_set(first))
      (void)first->value;
    if (is_set(second))
      (void)second->value;
  }
  return 0;
}
