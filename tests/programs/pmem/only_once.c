/* A program that creates its file and does not expect one: it can be run once.  The report says so.
 *
 * RUN: %tidemark_cc %s -o %t -lpmem
 * RUN: %tidemark check %t > %t.txt 2>&1; test $? = 1
 * RUN: %FileCheck %s < %t.txt
 * CHECK: the program ended with exit status 3
 * CHECK: note: nearly every execution after a failure ends badly in the same way: {{.*}}--recover='CMD ARGS'
 *
 * RUN: %tidemark check --recover='%t look' %t 2>&1 | %FileCheck --check-prefix=CLEAN %s
 * CLEAN: no findings; the search is complete
 */
#include <fcntl.h>
#include <libpmem.h>
#include <tidemark.h>

int main(int count, char **words) {
  (void)words;
  size_t bytes;
  long *p = pmem_map_file("/mnt/pmem0/once", 4096, count > 1 ? 0 : PMEM_FILE_CREATE | PMEM_FILE_EXCL, 0600, &bytes, NULL);
  if (!p)
    return count > 1 ? 0 : 3;
  if (count > 1 && bytes)
    tidemark_assert(!p[8] || p[0]);
  if (count > 1)
    return 0;
  p[0] = 1;
  pmem_persist(p, sizeof *p);
  p[8] = 1;
  pmem_persist(p + 8, sizeof *p);
  return 0;
}
