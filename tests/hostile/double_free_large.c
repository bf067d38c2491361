// EXPECT: abort 1
#include <stdlib.h>
int main(void) {
  char *volatile p = malloc(1 << 20);
  char *volatile q = malloc(1 << 20);
  free(p);
  free(q);
  free(q);
  return 0;
}
