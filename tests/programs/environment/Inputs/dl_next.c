#define _GNU_SOURCE
#include <dlfcn.h>

int shadowed(void) {
  int (*next)(void) = (int (*)(void))dlsym(RTLD_NEXT, "shadowed");
  return next ? next() + 10 : -1;
}
