// EXPECT: exit-status 1
// Touches nothing, so only address space is used up.
#include <stdlib.h>
int main(void) {
  void *(*volatile allocate)(size_t) = malloc;
  while (allocate(1 << 20))
    ;
  return 9;
}
