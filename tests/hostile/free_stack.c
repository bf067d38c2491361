// EXPECT: abort 1
#include <stdlib.h>
int main(void) {
  int x;
  int *volatile p = &x;
  free(p);
  return 0;
}
