/* calloc stores zeros, and realloc what was there before: whoever is told of the block by a relaxed store races with
 * that, even if nobody has stored there otherwise. */
#include "twin.h"

#ifdef FIXED
#define TELLS memory_order_release
#else
#define TELLS memory_order_relaxed
#endif

struct node {
  int value;
};
static _Atomic(struct node *) zeroed, moved;

static void *makes(void *argument) {
  struct node *one = malloc(sizeof *one);
  one->value = 7;
  atomic_store_explicit(&zeroed, calloc(1, sizeof(struct node)), TELLS);
  atomic_store_explicit(&moved, realloc(one, 2 * sizeof *one), TELLS);
  return argument;
}

static void *uses(void *argument) {
  struct node *first = atomic_load_explicit(&zeroed, memory_order_acquire);
  if (first)
    assert(first->value == 0);
  struct node *second = atomic_load_explicit(&moved, memory_order_acquire);
  if (second)
    assert(second->value == 7);
  return argument;
}

int main(void) {
  run_both(makes, uses);
  free(zeroed);
  free(moved);
}
