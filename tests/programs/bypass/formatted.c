/* What the program writes by a library function is not a store of foreign code in the program, however
 * simple the optimiser finds the call.
 *
 * RUN: %tidemark_cc -O2 %s -o %t && %tidemark check %t > %t.txt 2>&1 || (cat %t.txt; false)
 * RUN: %FileCheck %s < %t.txt
 *
 * CHECK: version 1.5
 * CHECK: no findings; the search is complete
 * CHECK-NOT: note:
 */
#include <immintrin.h>
#include <stdio.h>
#include <tidemark.h>

struct head {
  char version[16], name[16];
};

int main(void) {
  struct head *h = tidemark_region("head", sizeof *h);
  if (tidemark_failures()) {
    if (h->version[0])
      tidemark_outcome("version %.16s", h->version);
    return 0;
  }
  snprintf(h->version, sizeof h->version, "1.5");
  sprintf(h->name, "%s", "pool");
  fwrite(h->name, 1, 1, stderr);
  _mm_clflush(h);
  _mm_sfence();
  return 0;
}
