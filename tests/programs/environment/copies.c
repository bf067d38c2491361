// Code that is not position-independent, as in an archive of the distribution, gives the program copies of libc's
// variables.  Those of the standard streams never change; what a copy of another one would mean is not known.
// RUN: %clang -fPIE -fdirect-access-external-data -DFOREIGN -c %s -o %t.o
// RUN: %tidemark_cc -g %s %t.o -o %t
// RUN: readelf -rW %t | %FileCheck --check-prefix=COPIES %s
// RUN: %tidemark check --model=sc %t > %t.txt 2>&1; test $? = 1
// RUN: %FileCheck %s < %t.txt
// COPIES-DAG: R_X86_64_COPY {{.*}} stdout@
// COPIES-DAG: R_X86_64_COPY {{.*}} stderr@
// CHECK: exit status 1; it said: first and second
//
// RUN: %clang -fPIE -fdirect-access-external-data -DFOREIGN -DOTHER -c %s -o %t.o
// RUN: %tidemark_cc -g %s %t.o -o %t
// RUN: %tidemark check --model=sc %t > %t.txt 2>&1; test $? = 3
// RUN: %FileCheck --check-prefix=OTHER %s < %t.txt
// OTHER: has a copy of the variable {{.*}}environ (a copy relocation); build what uses it with tidemark-cc or -fPIC
#define _GNU_SOURCE
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int complain(void);

#ifdef FOREIGN
int complain(void) {
#ifdef OTHER
  if (!environ)
    return 2;
#endif
  fputs("hello\n", stdout);
  fputs("first", stderr);
  return fflush(stdout);
}
#else
int main(void) {
  /* Who only asks whether there are timers can be checked, too. */
  timer_t timer;
  struct itimerspec none = {0};
  if (timer_create(CLOCK_MONOTONIC, NULL, &timer) || timer_settime(timer, 0, &none, NULL) || timer_delete(timer))
    return 3;
  if (complain())
    return 2;
  fputs(" and second\n", stderr);
  return 1;
}
#endif
