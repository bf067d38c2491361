// EXPECT: exit-status 1
#include <stdlib.h>
__attribute__((destructor)) static void again(void) {
  exit(6);
}
int main(void) {
  return 0;
}
