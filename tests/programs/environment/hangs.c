// What executions usually take says how long is too long: after a failure every one of these hangs in
// a loop without hooks, and the search is over in seconds.  The loops are found where they are, the
// same in both modes.
// RUN: %clang -O1 -fPIC -c %S/Inputs/wait_for.c -o %t.o && %tidemark_cc -g -O1 %s %t.o -o %t
// RUN: for o in registers allocator clock "registers --isolate"; do set -- $o; timeout 240 %tidemark check $2 %t $1 > %t.out 2>&1; test $? = 1 || exit 1; %FileCheck --check-prefixes=LOOP,$1 %s < %t.out || exit 1; done
// LOOP: the program hangs: endless loop: no operation on watched memory for too long (if it only takes long, set --hang-seconds)
// registers: hangs.c:{{35|36}}:
// allocator: hangs.c:{{38|39}}:
// clock: hangs.c:{{42|43}}:
// LOOP: 1 finding; the search is complete
//
// Operations by code without instrumentation can be slow: what ends first, the time or so many of them.
// RUN: timeout 240 %tidemark check --max-steps=100000 %t foreign > %t.out 2>&1; test $? = 1; %FileCheck --check-prefix=FOREIGN %s < %t.out
// FOREIGN: the program hangs: no end after {{much more time than executions took so far|100000 steps}}
// FOREIGN: 1 finding; the search is complete
#include <immintrin.h>
#include <stdlib.h>
#include <string.h>
#include <tidemark.h>
#include <time.h>

long wait_for(volatile long *p);

int main(int argc, char **argv) {
  long *p = tidemark_region("p", 4096), n = 0;
  for (long i = 0; i < 2 && tidemark_failures() == 0; i++) {
    p[i * 8] = 1;
    _mm_clflush(p + i * 8);
  }
  for (long i = 0; i < 2; i++)
    n += p[i * 8];
  if (!tidemark_failures() || n == 2)
    return 0;
  if (!strcmp(argv[1], "registers"))
    for (;;) // registers
      __asm__ volatile("inc %0" : "+r"(n));
  if (!strcmp(argv[1], "allocator"))
    for (;;)
      free(malloc(100)); // allocator
  struct timespec t;
  if (!strcmp(argv[1], "clock"))
    for (;;)
      clock_gettime(CLOCK_MONOTONIC, &t); // clock
  if (!strcmp(argv[1], "foreign"))
    wait_for(p + 8);
  return 0;
}
