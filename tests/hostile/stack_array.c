// EXPECT: none 0
#include <string.h>
int main(void) {
  volatile char room[600 << 10];
  memset((char *)room, 1, sizeof room);
  return room[12345] != 1;
}
