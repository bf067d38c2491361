// RUN: %tidemark_cc -g %s -o %t
// RUN: %tidemark check --model=cxl --schedule=all %t > %t.out 2>&1 && %FileCheck %s < %t.out
// RUN: %tidemark check --model=cxl %t > %t.out 2>&1 && %FileCheck --check-prefix=FIXED %s < %t.out
// CHECK: the search is complete
// CHECK: note: a wait with a deadline ran into it only when no other thread could go on
// FIXED: the search is complete
// FIXED-NOT: a wait with a deadline
// Machine 0 gives up after a second, which may be over before machine 1 has stored anything: the report says that this
// was not explored.
#include <semaphore.h>
#include <tidemark.h>
#include <time.h>

int main(void) {
  volatile unsigned long *words = tidemark_region("words", 4096);
  sem_t *s = (sem_t *)(words + 64);
  if (tidemark_machine() == 1) {
    words[0] = 1;
    words[8] = 1;
    return 0;
  }
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_sec++;
  return sem_timedwait(s, &time) == 0;
}
