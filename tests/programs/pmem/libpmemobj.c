/* A program for libpmemobj and a libpmemobj that was not built with tidemark-cc.
 *
 * If the power fails when the file of the pool is there and has no size yet, pmemobj_open of PMDK 1.12 ends with a bus
 * error (also without the checker, for an empty file).
 * RUN: rm -rf %t && mkdir -p %t && %tidemark_cc -DOPEN_ANYTHING %s -lpmemobj -o %t/crash
 * RUN: %tidemark check --max-executions=2 %t/crash /mnt/pmem0/pool > %t/crash.txt 2>&1; test $? = 1
 * RUN: %FileCheck --check-prefix=CRASH %s < %t/crash.txt
 * CRASH: error[illegal-access]: {{.*}} in '/mnt/pmem0/pool', beyond the end of the file, which has 0 KiB (a bus error)
 * CRASH: pmemobj_open(words[1], "sample")
 * CRASH: note: the power failed
 * CRASH: libpmemobj.so.1+{{.*}} pmemobj_create
 * CRASH-NEXT: libpmemobj.c:{{.*}} main
 * CRASH: help: the power failed while pmemobj_create made the pool, {{.*}}: --no-failures-in=pmemobj_create
 *
 * A check in which it does not fail there.
 * RUN: %tidemark check --max-executions=2 --no-failures-in=pmemobj_create %t/crash /mnt/pmem0/pool > %t/spared.txt 2>&1; test $? = 5
 * RUN: %FileCheck --check-prefix=SPARED %s < %t/spared.txt
 * SPARED: note: failures while pmemobj_create is executed were left out (--no-failures-in)
 *
 * The program is checked, since the library calls libpmem to flush; slowly, and the report says so.
 * RUN: %tidemark_cc %s -lpmemobj -o %t/prog && %t/prog %t/pool
 * RUN: %tidemark check --max-executions=2 %t/prog /mnt/pmem0/pool > %t/check.txt 2>&1; test $? = 5
 * RUN: %FileCheck --check-prefix=SLOW %s < %t/check.txt
 * SLOW: failure points
 * SLOW: the search is incomplete: --max-executions was reached
 * SLOW-NEXT: note: {{.*}}libpmemobj.so.1 was not built with tidemark-cc; a run makes about {{[0-9,]+}} accesses to persistent memory there, which are slow: build it with tidemark-cc
 *
 * The header's inline function, which tidemark-cc leaves out, reads a thread-local variable of the
 * library: the linker cannot find it, and it is said why.
 * RUN: ! %tidemark_cc -UPMEMOBJ_DIRECT_NON_INLINE %s -lpmemobj -o %t/inline 2> %t/link.txt
 * RUN: %FileCheck --check-prefix=LINK %s < %t/link.txt
 * LINK: tidemark-cc: note: _pobj_cached_pool is a thread-local variable; the library that defines it must be built with tidemark-cc, too
 */
#include <libpmemobj.h>
#include <stdio.h>
#include <sys/stat.h>
#include <tidemark.h>

struct root {
  long a, b;
};

int main(int count, char **words) {
  if (count < 2)
    return 1;
#ifndef OPEN_ANYTHING
  struct stat st;
  if (tidemark_failures() > 0 && (stat(words[1], &st) || !st.st_size))
    return 0;
#endif
  PMEMobjpool *pool = pmemobj_open(words[1], "sample");
  if (!pool && tidemark_failures() > 0)
    return 0; /* it failed before there was a pool */
  if (!pool)
    pool = pmemobj_create(words[1], "sample", PMEMOBJ_MIN_POOL, 0600);
  if (!pool) {
    fprintf(stderr, "%s\n", pmemobj_errormsg());
    return 1;
  }
  struct root *root = pmemobj_direct(pmemobj_root(pool, sizeof *root));
  root->a = 1;
  pmemobj_persist(pool, &root->a, sizeof root->a);
  root->b = 1;
  pmemobj_persist(pool, &root->b, sizeof root->b);
  pmemobj_close(pool);
  return 0;
}
