// EXPECT: none 0
// Only the low byte counts.
#include <stdlib.h>
int main(void) {
  exit(256);
}
