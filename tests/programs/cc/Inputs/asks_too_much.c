#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

static int open_socket(void) {
  return socket(AF_INET, SOCK_DGRAM, 0);
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "socket") == 0)
    return open_socket() < 0;
  return dlopen("libnowhere.so.9", RTLD_NOW) != NULL;
}
