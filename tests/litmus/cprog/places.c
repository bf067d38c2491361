// CHECK sc: verified
// CHECK rc11: verified
// CHECK x86tso: verified
// CHECK sc -DSLOTS=3: violated 31
// CHECK rc11 -DSLOTS=3: violated 31
// CHECK sc -DODD: violated 33
// An array behind other fields in memory of malloc, at an index of which little is known: whether
// an access is inside does not depend on where others have been seen.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#ifndef SLOTS
#define SLOTS 2
#endif
int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int condition);
struct ring {
  long head, tail;
  long slots[];
};
static struct ring *ring;
static long index_below(long n) {
  long i = __VERIFIER_nondet_int() & 0x3ff;
  __VERIFIER_assume(i < n);
  return i;
}
static void *writer(void *unused) {
  long i = index_below(SLOTS);
  ring->head = i;
#ifndef ODD
  ring->slots[i] = i + 1;
#else
  *(long *)((char *)ring->slots + i * 4) = i + 1;
#endif
  return unused;
}
int main(void) {
  pthread_t thread;
  ring = malloc(sizeof *ring + 2 * sizeof *ring->slots);
  ring->slots[0] = ring->slots[1] = ring->head = ring->tail = 0;
  pthread_create(&thread, 0, writer, 0);
  pthread_join(thread, 0);
  assert(ring->tail == 0 && ring->slots[ring->head] == ring->head + 1);
  return 0;
}
