// EXPECT: segfault 1
#include <stddef.h>
int main(void) {
  void (*volatile f)(void) = NULL;
  f();
  return 0;
}
