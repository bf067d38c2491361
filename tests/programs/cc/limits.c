// Where addresses are limited the compiler works, and the checker says in one line why it cannot.
// RUN: bash -c 'ulimit -v 3000000; %tidemark_cc %s -o %t'
// RUN: bash -c 'ulimit -v 3000000; %tidemark check %t' > %t.out 2>&1; test $? = 3
// RUN: %FileCheck %s < %t.out
// RUN: test $(wc -l < %t.out) = 1
// RUN: bash -c 'ulimit -Sv 3000000; %tidemark check --allow-empty %t'
// CHECK: tidemark: the limit on virtual memory (ulimit -v, 2929 MiB) is too small: {{.*}}'ulimit -v' says unlimited
int main(void) {
  return 0;
}
