/* A library that was not built with tidemark-cc: its stores count, a word at a time; if it flushes, no
 * verdict would be right, and it is said which library must be built anew.  It has no DT_SONAME, as
 * libraries made by hand: it is found all the same, by path and by run path, once for each machine.
 *
 * RUN: rm -rf %t && mkdir -p %t && cd %t && clang-19 -O1 -fPIC -shared -DFLUSH=_mm_clflush %S/Inputs/foreign.c -o libforeign.so
 * RUN: ! readelf -d libforeign.so | grep SONAME
 * RUN: %tidemark_cc %s ./libforeign.so -o by-path && %tidemark_cc %s -L. -lforeign -Wl,-rpath,%t -o by-name
 * RUN: ./by-path && %tidemark check ./by-path 2>&1 | %FileCheck %s && %tidemark check ./by-name 2>&1 | %FileCheck %s
 * CHECK: outcomes 2 different
 * CHECK-DAG: {{[0-9]+}} x 0{{$}}
 * CHECK-DAG: {{[0-9]+}} x 100000000000001{{$}}
 * CHECK: no findings; the search is complete
 * RUN: %tidemark check --model=cxl ./by-path 2>&1 | %FileCheck --check-prefix=MACHINES %s
 * MACHINES: no findings; the search is complete
 *
 * RUN: %tidemark check ./by-name flush > clflush.txt 2>&1; test $? = 3
 * RUN: %FileCheck --check-prefix=REFUSED %s < clflush.txt
 * RUN: clang-19 -O1 -fPIC -shared -mclflushopt -DFLUSH=_mm_clflushopt %S/Inputs/foreign.c -o libforeign.so
 * RUN: %tidemark check ./by-name flush > clflushopt.txt 2>&1; test $? = 3
 * RUN: %FileCheck --check-prefix=REFUSED %s < clflushopt.txt
 * RUN: clang-19 -O1 -fPIC -shared -mclwb -DFLUSH=_mm_clwb %S/Inputs/foreign.c -o libforeign.so
 * RUN: %tidemark check ./by-name flush > clwb.txt 2>&1; test $? = 3
 * RUN: %FileCheck --check-prefix=REFUSED %s < clwb.txt
 * REFUSED: libforeign.so: code that was not built with tidemark-cc flushes persistent memory, and its fences cannot be seen; build it with tidemark-cc
 */
#include <tidemark.h>

void foreign_store(volatile long *p, long value);
void foreign_flush(volatile long *p, long value);

int main(int count, char **words) {
  (void)words;
  long *p = tidemark_region("cells", 128);
  tidemark_outcome("%lx", (unsigned long)p[8]);
  if (count > 1)
    foreign_flush(p, 1);
  else
    foreign_store(p + 8, 0x100000000000001);
  return 0;
}
