// A file of the program that is assembly has no hooks: two threads that add there are not seen to race, and the report says
// that this was not looked at.  Of one that was compiled as usual it says nothing.
// RUN: printf '.globl add\n.type add,@function\nadd: addl $1,(%%%%rdi)\n ret\n.size add,.-add\n.section .note.GNU-stack,"",@progbits\n' > %t.S
// RUN: %tidemark_cc -g -O1 %s %t.S -o %t -pthread
// RUN: %tidemark check --model=sc %t > %t.out 2>&1 && %FileCheck %s < %t.out
// RUN: %tidemark_cc -g -O1 -DIN_C %s -o %t -pthread
// RUN: %tidemark check --model=sc %t > %t.out 2>&1; test $? = 1 && %FileCheck --check-prefix=IN_C %s < %t.out
// CHECK: no findings
// CHECK: note: {{.*}}.S of the program has no hooks (assembly, or another compiler than tidemark-cc)
// IN_C: error[data-race]
// IN_C-NOT: no hooks
#include <pthread.h>

static int count;
#ifdef IN_C
static void add(int *p) {
  ++*p;
}
#else
void add(int *p);
#endif

static void *run(void *unused) {
  add(&count);
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, run, NULL);
  pthread_create(&b, NULL, run, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
