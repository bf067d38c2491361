/* Functions in which the power does not fail (--no-failures-in): what a failure in the middle of prepare leaves is a
 * mistake, of which a check without such failures says nothing; they are exactly those that are left out.
 *
 * RUN: %tidemark_cc %s -o %t
 * RUN: %tidemark check --json=%t.json %t > %t.txt 2>&1; test $? = 1
 * RUN: %FileCheck --check-prefix=FOUND %s < %t.txt
 * FOUND: error[assertion]
 * FOUND: failure points 5
 * FOUND: 1 finding; the search is complete
 * FOUND-NOT: left out
 *
 * RUN: %tidemark check --no-failures-in=prepare %t 2>&1 | %FileCheck --check-prefixes=SPARED,FIXED %s
 * RUN: %tidemark check --no-failures-in='nothing_fits_this_*,prep???' %t 2>&1 | %FileCheck --check-prefix=NONE %s
 * RUN: %tidemark check --no-failures-in='main_part,prep???' %t 2>&1 | %FileCheck --check-prefixes=ALL %s
 * RUN: %tidemark check --isolate --no-failures-in=prepare %t 2>&1 | %FileCheck --check-prefixes=SPARED,FIXED %s
 * RUN: %tidemark check --no-failures-in=prepare --schedule=all %t 2>&1 | %FileCheck --check-prefix=SPARED %s
 * FIXED: failure points 3
 * SPARED: no findings; the search is complete
 * SPARED: note: failures while prepare is executed were left out (--no-failures-in)
 * NONE: note: --no-failures-in: no function of the program or of its libraries fits 'nothing_fits_this_*'
 * ALL: executions     2
 * ALL: failure points 1
 * ALL: note: failures while main_part,prep??? is executed were left out
 *
 * What a function stores and does not make certain is in doubt at the next failure.
 * RUN: %tidemark_cc -DNOT_FLUSHED %s -o %t.lost
 * RUN: %tidemark check --no-failures-in=prepare %t.lost > %t.txt 2>&1; test $? = 1
 * RUN: %FileCheck --check-prefix=LOST %s < %t.txt
 * LOST: error[assertion]
 * LOST: replay: tidemark replay --token={{[^ ]*}} --no-failures-in=prepare
 *
 * So it is if the caller makes it certain and stores nothing before.
 * RUN: %tidemark_cc -DFLUSHED_BY_CALLER %s -o %t.late
 * RUN: %tidemark check --no-failures-in=prepare %t.late > %t.txt 2>&1; test $? = 1
 * RUN: %FileCheck --check-prefix=LATE %s < %t.txt
 * LATE: error[assertion]
 */
#include <immintrin.h>
#include <tidemark.h>

struct shared {
  _Alignas(64) long both;
  _Alignas(64) long halves;
  _Alignas(64) long next;
};

static void persist(void *p) {
  _mm_clflush(p);
}

#ifdef FLUSHED_BY_CALLER
__attribute__((noinline)) static void prepare(struct shared *s) {
  s->both = 1;
  s->halves = 1;
  persist(&s->both);
}
#else
__attribute__((noinline)) static void prepare(struct shared *s) {
  s->both = 1;
  persist(&s->both);
  s->halves = 1;
#ifndef NOT_FLUSHED
  persist(&s->halves);
#endif
}
#endif

__attribute__((noinline)) static void main_part(struct shared *s) {
  s->next = 1;
  persist(&s->next);
  s->next = 2;
  persist(&s->next);
  s->next = 3;
  persist(&s->next);
}

int main(void) {
  struct shared *s = tidemark_region("shared", sizeof *s);
  if (tidemark_failures() > 0) {
    tidemark_assert(s->both == s->halves);
    return 0;
  }
  prepare(s);
#ifdef FLUSHED_BY_CALLER
  persist(&s->halves);
#endif
  main_part(s);
}
