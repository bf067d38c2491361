#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

static int open_socket(void) {
  return socket(AF_INET, SOCK_DGRAM, 0);
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "socket") == 0)
    return open_socket() < 0;
  if (argc > 1 && strcmp(argv[1], "low") == 0)
    return !mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | 0x40 /* MAP_32BIT */, -1, 0);
  return dlopen("libnowhere.so.9", RTLD_NOW) != NULL;
}
