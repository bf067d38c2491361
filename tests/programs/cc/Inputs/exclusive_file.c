#include <fcntl.h>
#include <unistd.h>

/* Right only if nobody has created the file before: not after every failure. */
static int create(void) {
  return open("/mnt/pmem/exclusive", O_RDWR | O_CREAT | O_EXCL, 0600);
}

int main(void) {
  return create() < 0;
}
