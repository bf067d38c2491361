/* The same with -masm=intel.
 *
 * RUN: clang-19 -D_GNU_SOURCE -fPIC -c -I%S/../../../src %S/Inputs/trace_hooks.c -o %t.trace.o
 * RUN: %tidemark_cc -masm=intel -O1 -I%S/Inputs %s %t.trace.o -o %t 2>%t.err && test ! -s %t.err
 * RUN: %t | %FileCheck %s
 */
#include "trace_hooks.h"
#include <stdint.h>
#include <stdio.h>

int main(void) {
  char *p = window();
  trace_on();
  asm volatile("clflushopt byte ptr %0" : "+m"(*p));
  // CHECK: clflushopt [+0]
  asm volatile("clwb [%0]" ::"r"(p + 64) : "memory");
  // CHECK-NEXT: clwb [+64]
  uint64_t seen = 0, next = 5;
  asm volatile("lock cmpxchg qword ptr %1, %2"
               : "+a"(seen), "+m"(*(uint64_t *)p)
               : "r"(next)
               : "memory");
  // CHECK-NEXT: cas8 [+0] 0 -> 0x5
  asm volatile("lock xadd %0, %1" : "+m"(*(uint64_t *)p), "+r"(next)::"memory");
  // CHECK-NEXT: rmw8 add [+0] 0x5
  printf("%lu %lu\n", (unsigned long)seen, (unsigned long)next);
  // CHECK-NEXT: 0 5
  return 0;
}
