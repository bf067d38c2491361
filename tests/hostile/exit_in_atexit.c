// EXPECT: exit-status 1
#include <stdlib.h>
static void again(void) {
  exit(5);
}
int main(void) {
  atexit(again);
  return 0;
}
