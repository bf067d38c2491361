// EXPECT: segfault 1
// ONLY: pm
// SAYS: on a stack before the failure
// STORE: 11
#include <tidemark.h>
int main(void) {
  int **pm = tidemark_region("root", 64);
  if (*pm)
    return **pm != 7;
  int local = 7;
  *pm = &local;
  return **pm != 7;
}
