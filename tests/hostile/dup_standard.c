// EXPECT: none 0
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
  int fd = open("/dev/null", O_WRONLY);
  if (fd != 3)
    return 1;
  dup2(fd, 1);
  printf("lost\n");
  freopen("/dev/null", "r", stdin);
  return 0;
}
