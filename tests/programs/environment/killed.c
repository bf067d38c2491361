// What somebody else does to the checking process is not the program's fault; what the program does to
// it is, and happens twice.
// RUN: %clang -fPIC -c %S/Inputs/suicide.c -o %t.o && %tidemark_cc -g -O1 %s %t.o -o %t
// RUN: for o in "" --isolate "--model=cxl" "--model=cxl --isolate"; do python3 %S/Inputs/kill_worker.py once %tidemark check --json=%t.json $o %t long > %t.out 2>&1; test $? = 0 || exit 1; %FileCheck --check-prefix=ONCE %s < %t.out || exit 1; done
// ONCE: no findings; the search is complete
// ONCE: note: the checking process was killed from outside (signal 9, Killed; out of memory?); {{the search was started again from its beginning, and this is its result|what it had under way was searched again}}
//
// RUN: python3 %S/Inputs/kill_worker.py always %tidemark check --json=%t.json %t long > %t.out 2>&1; test $? = 5
// RUN: %FileCheck --check-prefix=ALWAYS %s < %t.out
// ALWAYS: the search is incomplete: the checking process was killed from outside 3 times (signal 9, Killed; out of memory?)
// RUN: grep '"findings": \[\]' %t.json
//
// RUN: for o in "" --isolate; do (ulimit -t 1; %tidemark check --hang-seconds=60 $o %t endless > %t.out 2>&1; test $? = 5) || exit 1; grep 'the limit on CPU time (ulimit -t, 1 s) was reached' %t.out || exit 1; done
//
// RUN: for o in "" --isolate "--model=cxl" "--model=cxl --isolate"; do %tidemark check $o %t suicide > %t.out 2>&1; test $? = 1 || exit 1; %FileCheck --check-prefix=SUICIDE %s < %t.out || exit 1; done
// SUICIDE: error[fatal-signal]: fatal signal: this execution killed the checking process (signal 9, Killed), twice
// SUICIDE: 1 finding
//
// RUN: python3 -c 'import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])' %tidemark check --isolate --quiet %t short
#include <immintrin.h>
#include <string.h>
#include <tidemark.h>

void suicide(void);

int main(int argc, char **argv) {
  long *p = tidemark_region("p", 4096);
  int slow = !strcmp(argv[argc - 1], "long");
  long last = tidemark_machine() ? 0 : slow ? 100 : 3, sum = 0;
  if (tidemark_failures() == 0)
    for (long i = 0; i < last; i++) {
      p[i % 64 * 8] = i;
      _mm_clflush(p + i % 64 * 8);
    }
  for (long i = 0; i < 64; i++)
    sum += p[i * 8];
  if (tidemark_failures() && p[8] == 1 && !strcmp(argv[argc - 1], "suicide") && !p[16])
    suicide();
  for (volatile long i = 0; !strcmp(argv[argc - 1], "endless"); i++)
    continue;
  for (volatile long i = 0; slow && i < 30000000; i++)
    continue;
  return 0;
}
