// --verify-fix builds what comes out of an archive again, and leaves the dependencies that the real build has listed alone; what
// comes from a shared library it does not build.  The diff has names that patch(1) can find.
// RUN: rm -rf %t && mkdir -p %t/lib %t/build && cp %S/Inputs/publish.* %t/lib
// RUN: cd %t/build && %tidemark_cc -g -MD -MF publish.d -c ../lib/publish.c -o publish.o && ar qc libpublish.a publish.o
// RUN: cd %t/build && %tidemark_cc -g -I../lib -c %s -o main.o && %tidemark_cc main.o -o app libpublish.a && rm publish.d
// RUN: cd %t/build && ! %tidemark check --quiet --analyses=robustness --fix=fix.diff --verify-fix ./app 2> said
// RUN: %FileCheck %s --input-file=%t/build/said && test ! -e %t/build/publish.d
// RUN: cd %t/build && %tidemark_cc -g -fPIC -shared ../lib/publish.c -o libshared.so
// RUN: cd %t/build && %tidemark_cc -g -I../lib %s -o app ./libshared.so
// RUN: cd %t/build && ! %tidemark check --quiet --analyses=robustness --fix=again.diff --verify-fix ./app 2> said
// RUN: %FileCheck --check-prefix=SHARED %s --input-file=%t/build/said
// RUN: cd %t && patch -p1 < build/fix.diff && grep -q '_mm_clwb((void .)&i->value);' lib/publish.c
// CHECK: the diff is to be applied in {{.*}}archive.c.tmp
// CHECK: 1 of 1 findings are fixed, 0 still there, 0 new; findings left: 0
// SHARED: how lib/publish.c gets into the program is not recorded
#include "publish.h"
#include <tidemark.h>

int main(void) {
  struct item *i = tidemark_region("item", sizeof *i);
  if (tidemark_failures() == 0)
    publish(i, 42);
  else if (i->ready)
    return i->value == 7;
  return 0;
}
