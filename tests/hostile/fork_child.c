// EXPECT: refused 3
#include <unistd.h>
int main(void) {
  return fork() < 0;
}
