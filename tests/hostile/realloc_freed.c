// EXPECT: abort 1
#include <stdlib.h>
int main(void) {
  char *volatile p = malloc(100);
  free(p);
  p = realloc(p, 200);
  return p == NULL;
}
