// EXPECT: abort 1
#include <stdlib.h>
int main(void) {
  char *volatile p = malloc(100);
  free(p + 16);
  return 0;
}
