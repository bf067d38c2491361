/* A file outside of persistent memory: the report says that failures make no difference to it.
 *
 * RUN: %tidemark_cc %s -o %t && rm -f %t.log
 * RUN: %tidemark check --json=%t.json %t %t.log 2>&1 | %FileCheck %s
 * RUN: %tidemark check --model=cxl %t %t.log 2>&1 | %FileCheck %s
 * CHECK: no findings; the search is complete
 * CHECK: note: the program changes '{{.*}}.log', which is outside of --pm-path
 * RUN: grep 'outside of --pm-path' %t.json
 *
 * RUN: %tidemark check %t 2>&1 | %FileCheck --check-prefix=NONE %s
 * NONE-NOT: outside of --pm-path
 */
#include <immintrin.h>
#include <stdio.h>
#include <tidemark.h>

int main(int count, char **arguments) {
  long *p = tidemark_region("p", 4096);
  FILE *log = fopen(count > 1 ? arguments[1] : "/dev/null", "a");
  fputs("begins\n", log);
  fclose(log);
  if (tidemark_failures() == 0) {
    p[0] = 1;
    _mm_clflush(p);
  }
  return p[0] > 1;
}
