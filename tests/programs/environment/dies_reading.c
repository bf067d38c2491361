// Executions that kill their process after they have read what a failure left: what others read there is
// not known, and the report says so.  The processes of --isolate share memory with the search; one
// that dies leaves nothing half done there, and the results are the same.
// RUN: %clang -fPIC -c %S/Inputs/suicide.c -o %t.o && %tidemark_cc -g -O1 %s %t.o -o %t
// RUN: ! %tidemark check --json=%t.json %t reads && ! %tidemark check --isolate --json=%t.isolate.json %t reads
// RUN: %FileCheck %s < %t.json && %FileCheck %s < %t.isolate.json
// RUN: grep '"executions"\|"[0-9] [0-9] [0-9] [0-9]"' %t.json > %t.1 && grep '"executions"\|"[0-9] [0-9] [0-9] [0-9]"' %t.isolate.json > %t.2 && diff %t.1 %t.2
// CHECK: "complete": false
// CHECK: an execution killed the checking process after it had read what a failure left
// CHECK: this execution killed the checking process (signal 9, Killed), twice
// RUN: ! %tidemark check --json=%t.json %t blind && ! %tidemark check --isolate --json=%t.isolate.json %t blind
// RUN: %FileCheck --check-prefix=BLIND %s < %t.json && %FileCheck --check-prefix=BLIND %s < %t.isolate.json
// BLIND: "complete": true
// BLIND: this execution killed the checking process (signal 9, Killed), twice
#include <string.h>
#include <tidemark.h>

void suicide(void);

int main(int argc, char **argv) {
  long *p = tidemark_region("r", 4096), x[4];
  if (!tidemark_failures()) {
    for (int k = 1; k < 5; k++) {
      for (int i = 0; i < 4; i++)
        p[i * 8] = k;
      for (int i = 0; i < 4; i++)
        __builtin_ia32_clflush(p + i * 8);
    }
    return 0;
  }
  if (argc > 1 && !strcmp(argv[1], "blind"))
    suicide();
  for (int i = 0; i < 4; i++)
    x[i] = p[i * 8];
  if (x[0] != x[1] && x[2] != x[3])
    suicide();
  tidemark_outcome("%ld %ld %ld %ld", x[0], x[1], x[2], x[3]);
  return 0;
}
