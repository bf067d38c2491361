// CHECK sc: verified
// CHECK rc11: verified
// CHECK x86tso: verified
// CHECK sc -DAFTER: violated 44
// CHECK rc11 -DAFTER: violated 44
// CHECK sc -DTWICE: violated 46
// CHECK aarch64 -DTWICE: violated 46
// CHECK sc -DINSIDE: violated 48
// CHECK sc -DVARIABLE: violated 50
// CHECK sc -DRACE: violated
// CHECK x86tso -DRACE: violated
// CHECK rc11 -DRACE: violated
// CHECK sc -DEARLY: violated
// CHECK sc -DWRITTEN: violated
// CHECK rc11 -DRELAXED: violated
// CHECK sc -DOTHERS: verified
// CHECK sc -DUNUSED: violated
// CHECK sc -DSHAPES: verified
// CHECK rc11 -DSHAPES: verified
// UNINITIALISED sc -DUNWRITTEN: 53
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
#ifdef OTHERS /* what a later thread allocates is freed by an earlier one */
static _Atomic(int *) passed;
void thread2(void) { int *p = atomic_load(&passed); if (p) free(p); }
void thread3(void) { int *p = malloc(sizeof *p); *p = 1; atomic_store(&passed, p); }
#endif
#ifdef SHAPES /* one call of free for objects of several shapes */
static _Atomic(char *) given;
void thread2(void) {
  char *mine = malloc(8), *more = malloc(16);
  *mine = 1;
  *(long *)more = 2;
  *(int *)(more + 8) = 3;
  char *old = atomic_exchange(&given, more);
  if (old)
    free(old);
  else
    free(mine);
}
void thread3(void) { char *never = malloc(4); free(atomic_exchange(&given, never)); }
#endif
#ifdef UNUSED /* freed twice, and nothing else */
static _Atomic(int *) unused;
void thread2(void) { int *p = malloc(sizeof *p); atomic_store(&unused, p); free(p); }
void thread3(void) { free(atomic_load(&unused)); }
#endif
#ifdef EARLY
static int *early;
void init(void) { early = malloc(sizeof *early); free(early); *early = 1; }
#endif
