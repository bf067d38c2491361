// EXPECT: segfault 1
// ONLY: pm
// SAYS: in the heap before the failure
#include <tidemark.h>
static __thread int variable = 7;
int main(void) {
  int **pm = tidemark_region("root", 64);
  if (*pm)
    return **pm != 7;
  *pm = &variable;
  return **pm != 7;
}
