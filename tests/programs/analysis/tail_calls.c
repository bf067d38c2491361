// What a function does last is found at its own line, also where a compiler would jump instead of calling.
// BUILD -O2 -lpmem
// FIND --analyses=robustness: robustness at=B lost=B survived=Z; robustness at=T lost=T survived=Z needs=fence
// FIND --analyses=races: persistency-race torn=B; persistency-race torn=T; persistency-race torn=Z
// FIND --analyses=flushes: redundant-flush at=FA in=set_b; redundant-fence at=F in=wait
#include "analysis.h"
#include <libpmem.h>

struct root {
  _Alignas(64) long a;
  _Alignas(64) long b;
  _Alignas(64) char text[64];
  _Alignas(64) long z;
};

static struct root *r;

__attribute__((noinline)) static void fence(void) {
  sfence();
}

__attribute__((noinline)) static void set_a(void) {
  r->a = 1;
  clwb(&r->a);
  fence();
}

__attribute__((noinline)) static void wait(void) {
  fence(); //@F
}

__attribute__((noinline)) static void set_b(void) {
  r->b = 1;                                        //@B
  pmem_persist(&r->a, sizeof r->a); /* a again */  //@FA
}

__attribute__((noinline)) static void set_text(void) {
  pmem_memcpy_nodrain(r->text, "0123456789012345678901234567890", 32); //@T
}

__attribute__((noinline)) static void set_z(void) {
  r->z = 1; //@Z
}

int main(void) {
  r = tidemark_region("r", sizeof *r);
  if (!tidemark_failures()) {
    set_a();
    wait();
    set_b();
    set_text();
    set_z();
  } else if (r->z) {
    tidemark_outcome("%ld %ld %s", r->a, r->b, r->text);
  }
  return 0;
}
