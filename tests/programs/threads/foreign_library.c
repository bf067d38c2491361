// A library that was not built with tidemark-cc is named: what it does to memory is no step.
// RUN: %clang -DLIBRARY -shared -fPIC %s -o %t.libforeign.so
// RUN: %tidemark_cc -DLIBRARY -shared -fPIC %s -o %t.libown.so
// RUN: %tidemark_cc -g %s -o %t.foreign %t.libforeign.so
// RUN: %tidemark check --model=sc %t.foreign > %t.txt 2>&1
// RUN: %FileCheck %s < %t.txt
// CHECK: no findings; the search is complete
// CHECK: note: not built with tidemark-cc: {{.*}}libforeign.so. What is done to memory there is no step
// RUN: %tidemark_cc -g %s -o %t.own %t.libown.so
// RUN: %tidemark check --model=sc %t.own > %t.txt 2>&1; test $? = 1
// RUN: %FileCheck --check-prefix=OWN --implicit-check-not='not built' %s < %t.txt
// OWN: error[data-race]
int count(int n);

#ifdef LIBRARY
static int sum;

int count(int n) {
  return sum += n;
}
#else
#include <pthread.h>

static void *work(void *unused) {
  count(1);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], 0);
  return count(0) < 1;
}
#endif
