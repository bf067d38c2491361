// An address of which only the object is known, at a place that others use in another size.
// CHECK sc: verified
// CHECK sc -DWRONG: violated
// CHECK aarch64: verified
#include <assert.h>
#include <stdlib.h>

unsigned long __VERIFIER_nondet_ulong(void);

static char *memory;

void init(void) {
  memory = calloc(1, 1024);
}

void thread0(void) {
  *(long *)memory = 5;
  *(int *)(memory + 8) = 1;
}

void thread1(void) {
  unsigned long any = __VERIFIER_nondet_ulong();
  long seen = *(long *)(memory + (any * 8 & 1016));
#ifdef WRONG
  assert(seen != 1);
#else
  assert(seen == 0 || seen == 1 || seen == 5);
#endif
}
