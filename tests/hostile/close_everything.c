// EXPECT: none 0
// Daemons do this; the checker's own descriptors must survive it.
#include <unistd.h>
int main(void) {
  for (int fd = 0; fd < 5000; fd++)
    close(fd);
  return 0;
}
