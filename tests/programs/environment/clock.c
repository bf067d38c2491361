// What is everybody's on the computer (its clock, its name) is not changed.  The arguments are wrong, in case it is.
// RUN: %tidemark_cc %s -o %t
// RUN: for i in 0 1 2 3; do %tidemark check --model=sc %t $i > %t.out 2>&1; test $? = 3 && cat %t.out; done | %FileCheck %s
// CHECK: clock_settime is not supported in a checked program
// CHECK: settimeofday is not supported in a checked program
// CHECK: adjtimex is not supported in a checked program
// CHECK: sethostname is not supported in a checked program
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv) {
  struct timespec never = {.tv_nsec = -1};
  struct timeval likewise = {.tv_usec = -1};
  struct timex none = {0};
  switch (argc > 1 ? atoi(argv[1]) : 0) {
  case 0:
    return clock_settime(CLOCK_REALTIME, &never);
  case 1:
    return settimeofday(&likewise, NULL);
  case 2:
    return adjtimex(&none);
  default:
    return sethostname("", 1000);
  }
}
