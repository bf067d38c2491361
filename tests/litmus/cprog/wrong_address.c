// CHECK sc -DNULL_POINTER: violated 18
// CHECK sc -DBEHIND: violated 20
// CHECK sc -DSYMBOLIC: violated 22
// CHECK sc -DDIVISION: violated 24
// CHECK sc -DUNINITIALISED: violated 26
// CHECK sc: verified
// CHECK x86tso: verified
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
static int numbers[4];
static atomic_int index;
static _Atomic(int *) pointer;
void thread0(void) { atomic_store(&index, 4); atomic_store(&pointer, &numbers[1]); }
void thread1(void) {
  int *p = atomic_load(&pointer), i = atomic_load(&index);
#ifdef NULL_POINTER
  *p = 1;
#elif defined BEHIND
  numbers[4 + !p] = 1;
#elif defined SYMBOLIC
  numbers[i] = 1;
#elif defined DIVISION
  numbers[0] = 7 / i;
#elif defined UNINITIALISED
  int **h = malloc(sizeof *h); **h = 1;
#else
  if (p)
    *p = 1;
  if (i < 4)
    numbers[i] = 7;
#endif
}
