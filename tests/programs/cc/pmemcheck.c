/* Requests to Valgrind's pmemcheck do nothing, with our header and with the program's own.

RUN: %tidemark_cc -Wall -Wextra -Werror -o %t %s && %t
RUN: %tidemark check %t > %t.txt 2>&1; test $? = 1 && %FileCheck %s < %t.txt
CHECK: error[assertion]: assertion failed: p->data == 7
CHECK: help: add a flush (clwb) of this store's cache line and a fence (sfence) right after it
CHECK: p->data = 7;
RUN: mkdir -p %t.own/valgrind && echo '#define VALGRIND_PMC_SET_CLEAN(a, n) own(a, n)' > %t.own/valgrind/pmemcheck.h
RUN: %tidemark_cc -I%t.own -E %s | grep -q 'own(&p->data'
*/
#include <tidemark.h>
#include <immintrin.h>
#include <valgrind/pmemcheck.h>

struct pair {
  _Alignas(64) long data;
  _Alignas(64) long valid;
};

int main(void) {
  struct pair *p = tidemark_region("pair", sizeof *p);
  if (p->valid)
    tidemark_assert(p->data == 7);
  VALGRIND_PMC_REGISTER_PMEM_MAPPING(p, sizeof *p);
  VALGRIND_PMC_START_TX_N(1);
  p->data = 7;
  VALGRIND_PMC_SET_CLEAN(&p->data, sizeof p->data); /* a claim is no flush */
  VALGRIND_PMC_DO_FLUSH(&p->data, sizeof p->data);
  VALGRIND_PMC_DO_FENCE;
  p->valid = 1;
  _mm_clflush(&p->valid);
  VALGRIND_PMC_END_TX_N(1);
  VALGRIND_PMC_EMIT_LOG("done");
  return (int)VALGRIND_PMC_CHECK_IS_PMEM_MAPPING(p, sizeof *p);
}
