// EXPECT: exit-status 1
#include <stdlib.h>
#include <unistd.h>
static void handler(void) {
  _exit(4);
}
int main(void) {
  at_quick_exit(handler);
  quick_exit(0);
}
