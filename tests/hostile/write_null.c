// EXPECT: segfault 1
#include <stddef.h>
int main(void) {
  int *volatile p = NULL;
  *p = 1;
  return 0;
}
