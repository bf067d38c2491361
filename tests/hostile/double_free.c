// EXPECT: abort 1
#include <stdlib.h>
int main(void) {
  char *volatile p = malloc(40);
  free(p);
  free(p);
  return 0;
}
