// EXPECT: segfault 1
// ONLY: pm
// SAYS: in the heap before the failure: a pointer to volatile memory was kept
// STORE: 14
// A malloc'ed node whose address outlives it in persistent memory.
#include <stdlib.h>
#include <tidemark.h>
struct node { long padding, value; };
int main(void) {
  struct node **pm = tidemark_region("root", 64);
  if (*pm)
    return (*pm)->value != 42;
  struct node *n = malloc(sizeof *n);
  *pm = n;
  n->value = 42;
  return n->value != 42;
}
