/* A pointer that is the same as before need not mean the same: what it pointed to was freed, and the next block of that
 * size is at the same address (--reuse).  Nobody looks into a block that was freed. */
#include "twin.h"

struct version {
  int number;
};

static _Atomic(struct version *) current;
static atomic_int users;

static void *replaces(void *unused) {
  for (int number = 2; number <= 3; number++) {
    struct version *new = malloc(sizeof *new);
    new->number = number;
    struct version *old = atomic_exchange(&current, new);
    while (users)
      ; /* who looks at it */
    free(old);
  }
  return unused;
}

static int look(struct version **at) {
  users++;
  *at = current;
  int number = (*at)->number;
  users--;
  return number;
}

static void *compares(void *unused) {
  struct version *first, *second;
  int before = look(&first), after = look(&second);
#ifdef FIXED
  assert(before <= after);
#else
  if (first == second)
    assert(before == after);
#endif
  return unused;
}

int main(void) {
  struct version *first = malloc(sizeof *first);
  first->number = 1;
  current = first;
  run_both(replaces, compares);
}
