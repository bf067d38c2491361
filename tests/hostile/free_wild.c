// EXPECT: abort 1
#include <stdlib.h>
int main(void) {
  free((void *)0x12345678);
  return 0;
}
