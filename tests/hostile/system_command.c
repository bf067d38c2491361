// EXPECT: refused 3
#include <stdlib.h>
int main(void) {
  return system("true");
}
