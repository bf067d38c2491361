// EXPECT: none 0
#include <stdlib.h>
#include <string.h>
int main(void) {
  for (int i = 0; i < 1000; i++)
    memset(malloc(1000), i, 1000);
  return 0;
}
