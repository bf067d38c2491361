// EXPECT: refused 3
#include <sys/socket.h>
int main(void) {
  return socket(AF_INET, SOCK_DGRAM, 0) < 0;
}
