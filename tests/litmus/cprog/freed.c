// CHECK sc: verified
// CHECK rc11: verified
// CHECK x86tso: verified
// CHECK sc -DAFTER: violated 40
// CHECK rc11 -DAFTER: violated 40
// CHECK sc -DTWICE: violated 42
// CHECK aarch64 -DTWICE: violated 42
// CHECK sc -DINSIDE: violated 44
// CHECK sc -DVARIABLE: violated 46
// CHECK sc -DRACE: violated
// CHECK x86tso -DRACE: violated
// CHECK rc11 -DRACE: violated
// CHECK sc -DEARLY: violated
// CHECK sc -DWRITTEN: violated
// CHECK rc11 -DRELAXED: violated
// UNINITIALISED sc -DUNWRITTEN: 49
// Memory after its end: whoever sees it, or comes after it in the order of its location, is wrong.
#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#ifdef RELAXED
#define ACQUIRE memory_order_relaxed
#else
#define ACQUIRE memory_order_acquire
#endif
struct node { int value; struct node *next; };
static _Atomic(struct node *) shared;
static atomic_int done;
static int variable;
void thread0(void) {
  struct node *n = malloc(sizeof *n);
  n->value = 7;
  n->next = NULL;
  atomic_store_explicit(&shared, n, memory_order_release);
#ifdef RACE
  free(n); /* the other thread may still look */
#endif
  while (!atomic_load_explicit(&done, ACQUIRE)) {}
#ifdef AFTER
  free(n); if (n->value == 7) n->value = 8;
#elif defined TWICE
  free(n); free(n);
#elif defined INSIDE
  free(&n->next);
#elif defined VARIABLE
  free(&variable);
#else
#ifdef UNWRITTEN
  int *h = malloc(sizeof *h); (void)*h;
#endif
  free(n);
  free(NULL);
#ifdef WRITTEN
  n->value = 1;
#endif
#endif
}
void thread1(void) {
  struct node *n = atomic_load_explicit(&shared, memory_order_acquire);
  if (n) {
    assert(n->value == 7 && !n->next);
    atomic_store_explicit(&done, 1, memory_order_release);
  }
}
#ifdef EARLY
static int *early;
void init(void) { early = malloc(sizeof *early); free(early); *early = 1; }
#endif
